import { expect, it } from 'vitest'
import { mayPutDirectly } from './direct-upload.ts'

const GB = 1024 ** 3

it.each([
  ['image/png', 10, true],
  ['image/png', 0, true],
  ['video/mp4', 5 * GB, true],
  ['video/mp4', 5 * GB + 1, false],
  ['application/octet-stream', 10, true],
  ['application/zip', 10, true],
  ['text/plain; charset=utf-8', 10, true],
  ['text/html', 10, false],
  ['text/html; charset=utf-8', 10, false],
  ['image/svg+xml', 10, false],
  ['application/xhtml+xml', 10, false],
  ['application/rss+xml', 10, false],
  ['text/xml', 10, false],
  ['text/javascript', 10, false],
  ['text/jscript', 10, false],
  ['text/css', 10, false],
  ['application/wasm', 10, false],
  ['multipart/related', 10, false],
  ['message/rfc822', 10, false],
  ['unknown/unknown', 10, false],
  ['application/unknown', 10, false],
])('decides whether a client may upload %s of %i bytes directly to the store: %s', (mimeType, size, expected) => {
  expect(mayPutDirectly(mimeType, size)).toBe(expected)
})
