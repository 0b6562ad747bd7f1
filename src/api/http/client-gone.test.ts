import { describe, expect, it } from 'vitest'
import { isCancelled } from './client-gone.ts'

type Request = Parameters<typeof isCancelled>[1]
type Reply = Parameters<typeof isCancelled>[2]

const requestOf = (destroyed: boolean) => ({ raw: { socket: { destroyed } } }) as unknown as Request
const replyOf = (closed: boolean, writableFinished: boolean) =>
  ({ raw: { closed, writableFinished } }) as unknown as Reply
const coded = (code: string) => Object.assign(new Error(code), { code })

describe('a failed request', () => {
  it.each([
    ['an aborted signal', new DOMException('aborted', 'AbortError')],
    ['an aborted body', coded('ECONNRESET')],
    ['a stream that was closed', coded('ERR_STREAM_PREMATURE_CLOSE')],
  ])('counts as cancelled when its client has disconnected: %s', (_, error) => {
    expect(isCancelled(error, requestOf(true), replyOf(false, false))).toBe(true)
    expect(isCancelled(error, requestOf(false), replyOf(true, false))).toBe(true)
  })

  it('counts as an error of the server while its client waits', () => {
    expect(isCancelled(coded('ECONNRESET'), requestOf(false), replyOf(false, false))).toBe(false)
    expect(isCancelled(coded('ERR_STREAM_PREMATURE_CLOSE'), requestOf(false), replyOf(true, true))).toBe(false)
  })

  it.each([
    ['a bug', new TypeError('x is not a function')],
    ['a text', 'aborted'],
    ['a code of the database', coded('42601')],
  ])('counts as an error of the server even when its client has disconnected: %s', (_, error) => {
    expect(isCancelled(error, requestOf(true), replyOf(true, false))).toBe(false)
  })
})
