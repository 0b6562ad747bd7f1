import { expect, it } from 'vitest'
import { addressOf, ownPath, thumbnailOf } from './file-kind.ts'

const file = { objectId: 'f', createdAt: '2026-01-01T00:00:00.000Z', mime_type: 'image/png' }

it.each([
  ['a.png', '/files/app/a.png'],
  ['a b/ü?#%2e%2e.png', '/files/app/a%20b/%C3%BC%3F%23%252e%252e.png'],
  ['..%2fadmin', '/files/app/..%252fadmin'],
  ['../../admin/me', null],
  ['a/../../../admin/me', null],
  ['./a', null],
  ['//evil.org/a', null],
  ['/a', null],
  ['..', null],
  ['', null],
  [null, null],
  [undefined, null],
])('the bytes of the key %j are at %j, which no browser resolves outside the files', (key, path) => {
  expect(ownPath('app', { ...file, key })).toBe(path)
  if (path !== null) expect(new URL(path, 'http://localhost').pathname).toMatch(/^\/files\/app\//)
})

it('uses the URL of a record when its key is invalid', () => {
  const record = { ...file, key: '../../admin/me', url: 'https://example.org/a.png' }
  expect(addressOf('app', record)).toBe('https://example.org/a.png')
  expect(thumbnailOf('app', record, 10)).toBe('https://example.org/a.png')
  expect(addressOf('app', { ...record, url: 'javascript:alert(1)' })).toBeNull()
})
