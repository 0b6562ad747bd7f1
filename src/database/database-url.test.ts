import { describe, expect, test } from 'vitest'
import { databaseSettings, parseDatabaseUrl } from './database-url.ts'

test.each([
  ['postgres://u:p@one/db', [{ host: 'one' }]],
  ['postgresql://u:p@one:6000/db', [{ host: 'one', port: 6000 }]],
  [
    'postgres://u:p@one:5432,two:5433/db?target_session_attrs=read-write',
    [
      { host: 'one', port: 5432 },
      { host: 'two', port: 5433 },
    ],
  ],
  [
    'postgres://u:p@[::1]:5432,[fe80::2],10.0.0.3:1/db',
    [{ host: '::1', port: 5432 }, { host: 'fe80::2' }, { host: '10.0.0.3', port: 1 }],
  ],
  ['postgres://u:p@%2Fvar%2Frun%2Fpg/db', [{ host: '/var/run/pg' }]],
  ['postgres://u:p@/db?host=/var/run/pg&port=6000', [{ host: '/var/run/pg', port: 6000 }]],
  ['postgres://u:p@localhost/db?host=%2Ftmp%2Fpg&port=5432', [{ host: '/tmp/pg', port: 5432 }]],
  [
    'postgres://u:p@/db?host=one,two&port=1,2',
    [
      { host: 'one', port: 1 },
      { host: 'two', port: 2 },
    ],
  ],
  [
    'postgres://u:p@/db?host=one,two&port=6000',
    [
      { host: 'one', port: 6000 },
      { host: 'two', port: 6000 },
    ],
  ],
  ['postgres://u:p@/db', [{}]],
])('parses the servers of %s', (url, servers) => {
  const settings = parseDatabaseUrl(url)
  expect(settings.servers).toEqual(servers.map((server) => ({ host: undefined, port: undefined, ...server })))
  expect(settings.config).toMatchObject({ user: 'u', password: 'p', database: 'db' })
  expect(settings.config).not.toHaveProperty('host')
  expect(settings.config).not.toHaveProperty('target_session_attrs')
})

test('accepts reserved characters in a password', () => {
  const password = ',@:/?#% é'
  const { config, servers } = parseDatabaseUrl(`postgres://u:${encodeURIComponent(password)}@one,two:1/db`)
  expect(config.password).toBe(password)
  expect(servers.map(({ host }) => host)).toEqual(['one', 'two'])
  expect(parseDatabaseUrl('postgres://u:a,b@one,two/db').config.password).toBe('a,b')
})

describe('refuses an invalid URL without quoting any of it', () => {
  test.each([
    ['http://u:secret@one/db', 'it must begin with postgres:// or postgresql://'],
    ['postgres://u:secret@one:port/db', 'it is not a URL'],
    ['postgres://u:secret@one:1,two:70000/db', 'it is not a URL'],
    ['postgres://u:secret@/db?host=a,b,c&port=1,2', 'it must have as many ports as hosts'],
    [
      'postgres://u:secret@a,b/db?target_session_attrs=standby',
      'target_session_attrs must be any or read-write or primary',
    ],
  ])('%s', (url, reason) => {
    expect(() => parseDatabaseUrl(url)).toThrow(new Error(reason))
  })
})

test('treats settings without a URL as one server', () => {
  expect(databaseSettings({ host: '/run', port: 5432, user: 'u' })).toEqual({
    config: { user: 'u' },
    servers: [{ host: '/run', port: 5432 }],
  })
})
