import { expect, it } from 'vitest'
import { newMessageId } from './message.ts'

it('makes unique ids of 22 characters of URL-safe base64', () => {
  const ids = Array.from({ length: 2000 }, newMessageId)
  expect(new Set(ids).size).toBe(2000)
  expect(ids.filter((id) => !/^[\w-]{22}$/.test(id))).toEqual([])
})
