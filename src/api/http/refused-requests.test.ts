import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { refuseBroken } from './refused-requests.ts'

it.each([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_INVALID_METHOD', 400],
  [undefined, 400],
])('responds to %s with %d and an API error, and closes the connection', async (code, status) => {
  const socket = new PassThrough()
  refuseBroken(Object.assign(new Error('broken'), code && { code }), socket as unknown as Socket)
  const answer = await text(socket)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({ code: 1, error: expect.any(String) })
})
