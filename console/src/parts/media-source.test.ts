import { expect, it } from 'vitest'
import { mediaSource, ownPathOf } from './media-source.ts'

const ORIGIN = 'https://api.example.com'
const FILES = ['https://files.example.com/files/', 'https://pictures.example.org/']

it.each<[url: unknown, from: string, host?: string]>([
  ['https://api.example.com/files/app/a.png', 'here'],
  ['https://files.example.com/files/app/a.png?imageView2/1/w/10', 'here'],
  ['https://pictures.example.org/a.png', 'here'],
  ['HTTPS://PICTURES.example.org/a.png', 'here'],
  ['http://api.example.com/files/app/a.png', 'here'],
  ['https://files.example.com/other/a.png', 'elsewhere', 'files.example.com'],
  ['http://files.example.com/files/app/a.png', 'elsewhere', 'files.example.com'],
  ['https://files.example.com:8443/files/app/a.png', 'elsewhere', 'files.example.com:8443'],
  ['https://files.example.com.evil.org/files/app/a.png', 'elsewhere', 'files.example.com.evil.org'],
  ['https://files.example.com@evil.org/files/app/a.png', 'elsewhere', 'evil.org'],
  ['https://evil.org/https://files.example.com/files/a.png', 'elsewhere', 'evil.org'],
  ['https://evil.org\\@files.example.com/files/a.png', 'elsewhere', 'evil.org'],
  ['https://api.example.com/admin/apps/a/export', 'nowhere'],
  ['http://api.example.com/admin/apps/a/export', 'nowhere'],
  ['https://api.example.com/files/../admin/apps', 'nowhere'],
  ['https://api.example.com/files/%2e%2e/admin/apps', 'nowhere'],
  ['https://api.example.com/files/..%2fadmin/apps', 'nowhere'],
  ['//evil.org/a.png', 'nowhere'],
  ['/admin/apps', 'nowhere'],
  ['javascript:alert(1)', 'nowhere'],
  ['data:image/png;base64,AAAA', 'nowhere'],
  ['blob:https://api.example.com/1', 'nowhere'],
  ['', 'nowhere'],
  [null, 'nowhere'],
  [{ toString: 'x' }, 'nowhere'],
  [['https://api.example.com/files/a'], 'nowhere'],
])('%j is loaded from %s', (url, from, host) => {
  expect(mediaSource(url, ORIGIN, FILES)).toEqual(host === undefined ? { from } : { from, host })
})

// The content policy allows only images and audio of the console's own origin.
it.each([
  ['https://api.example.com/files/app/a.png?imageView2/1/w/10', '/files/app/a.png?imageView2/1/w/10'],
  ['http://api.example.com/files/app/a.png', '/files/app/a.png'],
  ['https://files.example.com/files/other/a%20b.png#x', '/files/other/a%20b.png'],
  ['https://pictures.example.org/a/b.png?x=1', '/files/app/a/b.png?x=1'],
  ['HTTPS://user@PICTURES.example.org/../a.png', '/files/app/a.png'],
  ['https://pictures.example.org//evil.org/a.png', '/files/app//evil.org/a.png'],
])('%j is loaded from %j', (url, path) => {
  expect(mediaSource(url, ORIGIN, FILES).from).toBe('here')
  expect(ownPathOf(url, 'app', FILES)).toBe(path)
})
