import { expect, test } from 'vitest'
import { shownError } from './log.ts'

test('logs an error with its stack and causes, and no other members', () => {
  const cause = Object.assign(new TypeError('behind'), { parameters: ['secret'] })
  const error = Object.assign(new Error('in front', { cause }), { detail: 'secret' })
  expect(shownError(error)).toEqual({
    name: 'Error',
    message: 'in front',
    stack: error.stack,
    cause: { name: 'TypeError', message: 'behind', stack: cause.stack },
  })
})

test('ends at circular causes', () => {
  const error = new Error('again')
  error.cause = error
  expect(JSON.stringify(shownError(error)).match(/"message":"again"/g)).toHaveLength(6)
})

test.each<[thrown: unknown, shown: unknown]>([
  ['a text', 'a text'],
  [undefined, { value: 'undefined' }],
  [{ password: 'secret' }, { value: 'object' }],
])('logs %j as %j', (thrown, shown) => {
  expect(shownError(thrown)).toEqual(shown)
})
