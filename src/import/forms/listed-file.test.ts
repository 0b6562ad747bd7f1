import { expect, test } from 'vitest'
import { parseListedFile } from './listed-file.ts'

const line = {
  key: 'a/1.png',
  path: `files/ab/${'ab'.repeat(20)}.png`,
  size: 3,
  md5: '0'.repeat(32),
  mime_type: 'image/png',
  name: '1.png',
}

test('parses a key, and a path of bytes below the folder', () => {
  expect(parseListedFile(JSON.stringify(line))).toEqual({
    key: 'a/1.png',
    path: line.path,
    size: 3,
    md5: line.md5,
    mimeType: 'image/png',
    name: '1.png',
  })
})

test.each([
  { path: '../../etc/passwd' },
  { path: '/etc/passwd' },
  { path: `files/ab/../${'ab'.repeat(20)}` },
  { key: '../../apps' },
  { key: 'a/../../../apps' },
  { key: '' },
  { size: -1 },
  { size: '3' },
  { md5: 'x' },
  { name: null },
])('rejects a line with a path elsewhere or invalid values: %j', (change) => {
  expect(parseListedFile(JSON.stringify({ ...line, ...change }))).toBeNull()
})
