import { expect, it } from 'vitest'
import { isRedisUrl, redisAddress } from './redis-url.ts'

const NO_CREDENTIALS = { username: undefined, password: undefined }

it.each([
  ['redis://host', { servers: [{ host: 'host', port: 6379 }], database: 0, tls: false }],
  ['redis://host/', { servers: [{ host: 'host', port: 6379 }], database: 0, tls: false }],
  ['redis://host:80/15', { servers: [{ host: 'host', port: 80 }], database: 15, tls: false }],
  ['rediss://[::1]:6380', { servers: [{ host: '::1', port: 6380 }], database: 0, tls: true }],
  [
    'redis://one:1,two,[fe80::2]:3',
    {
      servers: [
        { host: 'one', port: 1 },
        { host: 'two', port: 6379 },
        { host: 'fe80::2', port: 3 },
      ],
      database: 0,
      tls: false,
    },
  ],
])('parses %s', (url, address) => {
  expect(redisAddress(url)).toEqual({ ...address, ...NO_CREDENTIALS })
})

it.each([
  ['redis://ann:word@host', 'ann', 'word'],
  ['redis://:word@host', undefined, 'word'],
  ['redis://:a%40b%2Fc%2C%25@one,two', undefined, 'a@b/c,%'],
  ['redis://:a,b@one,two', undefined, 'a,b'],
])('decodes credentials: %s', (url, username, password) => {
  expect(redisAddress(url)).toMatchObject({ username, password })
})

it.each([
  '',
  'host:6379',
  'http://host',
  'redis:host',
  'redis://',
  'redis:///1',
  'redis://host:port',
  'redis://host:99999',
  'redis://host/name',
  'redis://host/1/2',
  'redis://host?db=1',
  'redis://one,,two',
  'redis://one,two/1',
  'redis://:%@host',
])('rejects %j as a URL of Redis', (url) => {
  expect(isRedisUrl(url)).toBe(false)
  expect(() => redisAddress(url)).toThrow('must have the form redis://')
})
