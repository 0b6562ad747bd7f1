import { expect, it } from 'vitest'
import { serverOrigin } from './server-origin.ts'

it.each([
  ['https://api.example.org', 'https://api.example.org'],
  ['https://API.example.org//', 'https://api.example.org'],
  ['http://192.168.1.2:3000', 'http://192.168.1.2:3000'],
  ['http://[::1]:3000/', 'http://[::1]:3000'],
  ['http://my_server', 'http://my_server'],
  ['https://例え.jp', 'https://xn--r8jz45g.jp'],
  ['', null],
  ['api.example.org', null],
  ['ftp://api.example.org', null],
  ['javascript:alert(1)', null],
  ['https://api.example.org/path', null],
  ['https://api.example.org?x', null],
  ['https://api.example.org#x', null],
  ['https://user@api.example.org', null],
  ["https://x';id;'", null],
  ['https://$(id)', null],
  ['https://`id`', null],
  ['https://a&id', null],
  ['https://a"b', null],
])('%j is named %j', (text, origin) => {
  expect(serverOrigin(text)).toBe(origin)
})
