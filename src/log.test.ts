import { expect, test } from 'vitest'
import { shownError } from './log.ts'

test('an error is shown with its stack and its causes, and nothing else that it has', () => {
  const cause = Object.assign(new TypeError('behind'), { parameters: ['secret'] })
  const error = Object.assign(new Error('in front', { cause }), { detail: 'secret' })
  expect(shownError(error)).toEqual({
    name: 'Error',
    message: 'in front',
    stack: error.stack,
    cause: { name: 'TypeError', message: 'behind', stack: cause.stack },
  })
})

test('causes in a circle come to an end', () => {
  const error = new Error('again')
  error.cause = error
  expect(JSON.stringify(shownError(error)).match(/"message":"again"/g)).toHaveLength(6)
})

test.each<[thrown: unknown, shown: unknown]>([
  ['a text', 'a text'],
  [undefined, { value: 'undefined' }],
  [{ password: 'secret' }, { value: 'object' }],
])('%j is shown as %j', (thrown, shown) => {
  expect(shownError(thrown)).toEqual(shown)
})
