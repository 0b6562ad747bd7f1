import { expect, it } from 'vitest'
import { FirstTexts } from './first-texts.ts'

const shuffled = Array.from({ length: 1000 }, (_, n) => `client ${String((n * 617) % 1000).padStart(3, '0')}`)

it.each([
  ['', 3, ['client 000', 'client 001', 'client 002']],
  ['client 001', 2, ['client 002', 'client 003']],
  ['client 997', 5, ['client 998', 'client 999']],
  ['client 999', 5, []],
])('after %j, keeps the first %i of any number of texts, each once', (after, limit, expected) => {
  const first = new FirstTexts(after, limit)
  for (const text of [...shuffled, ...shuffled]) first.add(text)
  expect(first.take()).toEqual(expected)
})
