import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isInRanges, isProxyRange, isSentFrom, NEARBY_PROXIES, trustProxies } from './proxies.ts'

const asSent = trustProxies(NEARBY_PROXIES, false)
const PROXY = '127.0.0.1'

function request(remoteAddress: string, headers: Record<string, string>): IncomingMessage {
  return { headers: { host: 'inner:3000', ...headers }, socket: { remoteAddress } } as unknown as IncomingMessage
}

function see(headers: Record<string, string>, from = PROXY) {
  const { address, protocol, host } = asSent(request(from, headers))
  return [address, protocol, host]
}

describe('request from a client itself', () => {
  it('is read from its socket', () => {
    expect(see({}, '203.0.113.7')).toEqual(['203.0.113.7', 'http', 'inner:3000'])
    expect(see({}, '::ffff:203.0.113.7')).toEqual(['203.0.113.7', 'http', 'inner:3000'])
  })

  it.each<[header: string, value: string]>([
    ['x-forwarded-for', '198.51.100.1'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-host', 'evil.example'],
    ['forwarded', 'for=198.51.100.1;proto=https;host=evil.example'],
  ])('ignores %s', (header, value) => {
    expect(see({ [header]: value }, '203.0.113.7')).toEqual(['203.0.113.7', 'http', 'inner:3000'])
    expect(see({ [header]: value }, '2001:db8::7')).toEqual(['2001:db8::7', 'http', 'inner:3000'])
  })
})

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.17.0.1', '192.168.1.1', 'fd00::1', 'fe80::1'])(
  'trusts a proxy at %s by default',
  (address) => {
    expect(see({ 'x-forwarded-for': '203.0.113.7' }, address)[0]).toBe('203.0.113.7')
    expect(trustProxies([], true)(request(address, { 'x-forwarded-for': '203.0.113.7' })).address).not.toBe(
      '203.0.113.7',
    )
  },
)

describe('through trusted proxies', () => {
  it.each<[what: string, headers: Record<string, string>, seen: [string, string | null, string]]>([
    [
      'a proxy that sends all headers',
      { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.org' },
      ['203.0.113.7', 'https', 'api.example.org'],
    ],
    [
      'a proxy that keeps the host',
      { 'x-forwarded-proto': 'https', host: 'api.example.org:8443' },
      [PROXY, 'https', 'api.example.org:8443'],
    ],
    [
      'a proxy that does not send the protocol',
      { 'x-forwarded-for': '203.0.113.7' },
      ['203.0.113.7', null, 'inner:3000'],
    ],
    [
      'a proxy that appends to forged headers',
      {
        'x-forwarded-for': '198.51.100.1, 203.0.113.7',
        'x-forwarded-proto': 'http, https',
        'x-forwarded-host': 'evil.example, api.example.org',
      },
      ['203.0.113.7', 'https', 'api.example.org'],
    ],
    [
      'two proxies that append to forged headers',
      {
        'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.0.0.2',
        'x-forwarded-proto': 'http, https, http',
        'x-forwarded-host': 'evil.example, api.example.org, inner.example',
      },
      ['203.0.113.7', 'https', 'api.example.org'],
    ],
    [
      'two proxies, of which the nearer one replaces the headers',
      {
        'x-forwarded-for': '203.0.113.7, 10.0.0.2',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'api.example.org',
      },
      ['203.0.113.7', 'https', 'api.example.org'],
    ],
    ['a client on the same network', { 'x-forwarded-for': '10.0.0.5' }, ['10.0.0.5', null, 'inner:3000']],
    ['an address with a port', { 'x-forwarded-for': '203.0.113.7:4711' }, ['203.0.113.7', null, 'inner:3000']],
    ['an address of IPv6', { 'x-forwarded-for': '[2001:db8::7]:4711' }, ['2001:db8::7', null, 'inner:3000']],
    ['an unknown client address', { 'x-forwarded-for': 'unknown' }, [PROXY, null, 'inner:3000']],
    [
      'Forwarded (RFC 7239)',
      { forwarded: 'for="[2001:db8::7]:4711";proto=https;host="api.example.org:8443";by=10.0.0.1' },
      ['2001:db8::7', 'https', 'api.example.org:8443'],
    ],
    [
      'Forwarded of two proxies',
      {
        forwarded:
          'for=198.51.100.1;host=evil.example, for=203.0.113.7;proto=https;host=api.example.org, for=10.0.0.2;proto=http',
      },
      ['203.0.113.7', 'https', 'api.example.org'],
    ],
    [
      'a forged Forwarded with headers of the proxy',
      { forwarded: 'for=198.51.100.1;proto=http;host=evil.example', 'x-forwarded-for': '203.0.113.7' },
      ['203.0.113.7', null, 'inner:3000'],
    ],
  ])('%s', (_, headers, seen) => {
    expect(see(headers)).toEqual(seen)
  })

  it.each([
    'evil.example/path',
    'user@evil.example',
    'user:password@evil.example',
    'evil.example?a=b',
    'evil.example#a',
    'evil.example\\a',
    'evil.example\r\nX-Header: a',
    'evil example',
    'evil.example:port',
    'evil.example:999999',
    '[evil.example]',
    '%65vil.example',
    `${'evil.'.repeat(60)}example`,
    '',
  ])('rejects %j as a host', (host) => {
    expect(see({ 'x-forwarded-host': host })[2]).toBe('inner:3000')
    expect(see({ forwarded: `host="${host.replaceAll('\\', '\\\\')}"` })[2]).toBe('inner:3000')
    expect(see({ host })[2]).toBeNull()
  })

  it.each(['for=', 'nonsense', 'for=203.0.113.7;', 'for="', 'proto=https;;', '"', 'for=\u0000'])(
    'ignores the invalid Forwarded header %j',
    (forwarded) => {
      expect(see({ forwarded })).toEqual([PROXY, 'http', 'inner:3000'])
    },
  )

  it('accepts http or https as the protocol', () => {
    expect(see({ 'x-forwarded-proto': 'WSS' })[1]).toBe('https')
    expect(see({ 'x-forwarded-proto': 'ws' })[1]).toBe('http')
    expect(see({ 'x-forwarded-proto': 'javascript' })[1]).toBeNull()
  })

  it('does not follow thousands of addresses', () => {
    const many = Array.from({ length: 2000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    expect(see({ 'x-forwarded-for': `203.0.113.7, ${many.join(', ')}` })[0]).toMatch(/^10\./)
  })
})

it.each([
  ['10.0.0.0/8', true],
  ['192.0.2.1', true],
  ['2001:db8::/32', true],
  ['loopback', true],
  ['10.0.0.0/33', false],
  ['1', false],
  ['true', false],
  ['', false],
  ['proxy.example', false],
])('accepts %j as a range of proxies: %s', (text, is) => {
  expect(isProxyRange(text)).toBe(is)
})

it('reads a request once, and knows its client after it has disconnected', () => {
  const sent = request(PROXY, { 'x-forwarded-for': '203.0.113.7' })
  const first = asSent(sent)
  Object.assign(sent, { socket: { remoteAddress: undefined } })
  expect(asSent(sent)).toBe(first)
  expect(first.address).toBe('203.0.113.7')
})

it('keeps results for an address, however many others are checked', () => {
  const ranges = ['10.0.0.0/8']
  for (let n = 0; n < 3000; n++) {
    expect(isInRanges(ranges, `192.0.${n >> 8}.${n & 255}`)).toBe(false)
    expect(isInRanges(ranges, `10.0.${n >> 8}.${n & 255}`)).toBe(true)
    expect(isInRanges(ranges, '10.0.0.1')).toBe(true)
  }
})

describe('sender in ranges to which access is restricted', () => {
  const from = (address: string, claimed?: string) =>
    request(address, claimed === undefined ? {} : { 'x-forwarded-for': claimed })

  it.each<[allowed: string[], peer: string, claimed: string | undefined, byDefault: boolean, named: boolean]>([
    // Neighbors in a private network claim an address.
    [['192.0.2.0/24'], '10.1.2.3', '192.0.2.1', false, true],
    [['192.0.2.0/24'], '127.0.0.1', '192.0.2.1', false, true],
    [['192.0.2.0/24'], '127.0.0.1', '192.0.2.1, 10.1.2.3', false, true],
    [['loopback'], '10.1.2.3', '127.0.0.1', false, true],
    [['10.0.0.9'], '10.1.2.3', '10.0.0.9', false, true],
    // External clients come through a proxy that is itself in the range.
    [['loopback'], '127.0.0.1', '198.51.100.1', false, false],
    [['loopback', '192.0.2.0/24'], '127.0.0.1', '192.0.2.1', true, true],
    // No address is claimed.
    [['loopback'], '127.0.0.1', undefined, true, true],
    [['10.0.0.0/8'], '10.1.2.3', undefined, true, true],
    [['192.0.2.0/24'], '10.1.2.3', undefined, false, false],
    // An invalid address changes nothing.
    [['loopback'], '127.0.0.1', 'unknown', true, true],
    // An untrusted sender claims an address.
    [['192.0.2.0/24'], '198.51.100.1', '192.0.2.1', false, false],
    [['192.0.2.0/24'], '192.0.2.1', '198.51.100.1', true, true],
  ])('in %j, sent by %s as %s: %s by default, %s with named proxies', (allowed, peer, claimed, byDefault, named) => {
    expect(isSentFrom(allowed, trustProxies(NEARBY_PROXIES, false)(from(peer, claimed)))).toBe(byDefault)
    expect(isSentFrom(allowed, trustProxies(NEARBY_PROXIES, true)(from(peer, claimed)))).toBe(named)
  })

  it('treats Forwarded like X-Forwarded-For', () => {
    const sent = () => request('10.1.2.3', { forwarded: 'for=192.0.2.1' })
    expect(isSentFrom(['192.0.2.0/24'], trustProxies(NEARBY_PROXIES, false)(sent()))).toBe(false)
    expect(isSentFrom(['192.0.2.0/24'], trustProxies(NEARBY_PROXIES, true)(sent()))).toBe(true)
  })
})
