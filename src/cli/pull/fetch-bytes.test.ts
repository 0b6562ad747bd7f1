import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import type { Management } from '../management.ts'
import { type FileSource, fetchBytes, wantedFile } from './fetch-bytes.ts'

const management = {} as Management
const source = (filesFrom: string | null = null): FileSource => ({ trusted: new Set(), filesFrom })

describe('the file of a record', () => {
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
  ])('has for the key %j the URL %j, always below --files-from', (key, url) => {
    const record = { key, url: 'http://elsewhere.example.org/x' } as never
    expect(wantedFile(record, source('http://files.example.org/base'))?.url ?? null).toBe(url)
  })

  it.each(['file:///etc/passwd', 'ftp://host/x', 'http://', 'javascript:1', '//host/x', 5, null])(
    'is unknown for the URL %j',
    (url) => {
      expect(wantedFile({ key: 'a.png', url } as never, source())).toBeNull()
    },
  )

  it.each([-1, 1.5, 1e300, '5', {}])('has an unknown size for %j', (size) => {
    const record = { key: 'a.png', url: 'http://host/x', metaData: { size } } as never
    expect(wantedFile(record, source())!.size).toBeNull()
  })
})

it('does not retry a closed port or an unknown host', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const began = performance.now()
  for (const url of [`http://127.0.0.1:${port}/x`, 'http://no-such-host.invalid/x']) {
    const file = wantedFile({ key: 'a.png', url }, source())!
    expect(inEnglish((await fetchBytes(file, source(), management, '/bytes'))!)).toMatch(/incomplete response|private/)
  }
  // Four attempts take seven seconds.
  expect(performance.now() - began).toBeLessThan(6000)
})
