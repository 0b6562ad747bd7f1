import { expect, it } from 'vitest'
import { checkClientIds, isClientId } from './client-ids.ts'

it('accepts client ids of 1 to 64 characters that can be stored', () => {
  for (const id of ['a', '7', 'x'.repeat(64), '汤姆', 'a b:c']) expect(isClientId(id)).toBe(true)
  for (const id of ['', 'x'.repeat(65), 'a\u0000', '\ud800', 7, null]) expect(isClientId(id)).toBe(false)
})

it('removes duplicates from a list, and rejects an invalid id with its name', () => {
  expect(checkClientIds(['b', 'a', 'b'])).toEqual(['b', 'a'])
  expect(() => checkClientIds(['a', ''])).toThrow('A client id must have 1 to 64 characters, not "".')
})
