import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import type { Management } from '../management.ts'
import { type FileSource, fetchBytes, wantedFile } from './fetch-bytes.ts'

const management = {} as Management
const source = (filesFrom: string | null = null): FileSource => ({ trusted: new Set(), filesFrom })

describe('what a record says of its bytes', () => {
  it.each([
    ['../secret', null],
    ['a/../../b', null],
    ['a//b', null],
    ['a\\b', null],
    ['a\u0000b', null],
    ['x'.repeat(501), null],
    ['', null],
    [5, null],
    ['a b/ü.png', 'http://files.example.org/base/a%20b/%C3%BC.png'],
  ])('the key %j leads to %j, never out of --files-from', (key, url) => {
    const record = { key, url: 'http://elsewhere.example.org/x' } as never
    expect(wantedFile(record, source('http://files.example.org/base'))?.url ?? null).toBe(url)
  })

  it.each(['file:///etc/passwd', 'ftp://host/x', 'http://', 'javascript:1', '//host/x', 5, null])(
    'the URL %j is none of a file',
    (url) => {
      expect(wantedFile({ key: 'a.png', url } as never, source())).toBeNull()
    },
  )

  it.each([-1, 1.5, 1e300, '5', {}])('the size %j counts as unknown', (size) => {
    const record = { key: 'a.png', url: 'http://host/x', metaData: { size } } as never
    expect(wantedFile(record, source())!.size).toBeNull()
  })
})

it('bytes at an address where nothing answers are tried once', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const began = performance.now()
  for (const url of [`http://127.0.0.1:${port}/x`, 'http://no-such-host.invalid/x']) {
    const file = wantedFile({ key: 'a.png', url }, source())!
    expect(inEnglish((await fetchBytes(file, source(), management, '/bytes'))!)).toMatch(/no whole answer|private/)
  }
  // Four tries take seven seconds.
  expect(performance.now() - began).toBeLessThan(6000)
})
