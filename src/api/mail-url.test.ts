import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { trustProxies } from '../proxies.ts'
import { mailUrlOf } from './mail-url.ts'

const LOCAL = 'http://localhost:3000'

function serverWith(publicUrl: string | null) {
  const { log, lines: warnings } = recordedLog()
  return { server: { publicUrl, localUrl: () => LOCAL, log }, warnings }
}

const asSent = trustProxies(['loopback'], true)

/** Creates a request as forwarded by a proxy on this machine. */
function sent(protocol: string, host: string) {
  const headers = { host, 'x-forwarded-proto': protocol }
  return asSent({ headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage)
}

/** Addresses of this machine as in a Host header, without those with a zone, which are not valid in a URL. */
const addresses = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .filter(({ family, scopeid }) => family === 'IPv4' || scopeid === 0)
  .map(({ family, address }) => (family === 'IPv6' ? `[${address}]` : address))

it.each(['localhost:3000', 'evil.example', ''])('uses a public URL, whatever the Host %j is', (host) => {
  const { server, warnings } = serverWith('https://api.example.org')
  expect(mailUrlOf(server, sent('http', host))).toBe('https://api.example.org')
  expect(warnings).toEqual([])
})

describe('without a public URL', () => {
  it.each([
    ['LocalHost:3000', 'http://localhost:3000'],
    ...addresses.map((address) => [`${address}:3000`, `http://${address}:3000`]),
  ])('uses the Host %s of this server without a warning', (host, url) => {
    const { server, warnings } = serverWith(null)
    expect(mailUrlOf(server, sent('http', host))).toBe(url)
    expect(warnings).toEqual([])
  })

  it('uses the protocol of the request', () => {
    const { server } = serverWith(null)
    expect(mailUrlOf(server, sent('https', 'localhost:3000'))).toBe('https://localhost:3000')
  })

  it.each(['localhost', 'localhost:8123', 'localhost:30000', 'localhost:03001', ...addresses])(
    "ignores the Host %j, because its port is not the server's",
    (host) => {
      const { server, warnings } = serverWith(null)
      for (const protocol of ['http', 'https']) expect(mailUrlOf(server, sent(protocol, host))).toBe(LOCAL)
      expect(warnings).toHaveLength(1)
    },
  )

  it.each([
    ['http', 80],
    ['https', 443],
  ])('accepts %s without a port when the server listens on %d', (protocol, port) => {
    const { server } = serverWith(null)
    const listening = { ...server, localUrl: () => `http://localhost:${port}` }
    expect(mailUrlOf(listening, sent(protocol, 'localhost'))).toBe(`${protocol}://localhost`)
  })

  it.each([
    '',
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    'localhost@evil.example',
    'evil.example@localhost',
    'evil.example:80@localhost',
    'localhost/.evil.example',
    'localhost#.evil.example',
    'localhost?.evil.example',
    'localhost\\.evil.example',
    'evil.example\\@localhost',
    'evil.example, localhost',
    'localhost, evil.example',
    'localhost:port',
    '[',
    '[localhost]',
    '203.0.113.7',
    '[2001:db8::7]',
    '%',
    'loc\talhost',
    '%6cocalhost',
  ])('ignores the Host %j, and links to the address of the server', (host) => {
    expect(mailUrlOf(serverWith(null).server, sent('http', host))).toBe(LOCAL)
  })

  it.each([
    ['localhost:03000', 'http://localhost:3000'],
    ['0177.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['2130706433:3000', 'http://127.0.0.1:3000'],
  ])('normalizes another spelling of this machine, %j, in the link', (host, url) => {
    expect(mailUrlOf(serverWith(null).server, sent('http', host))).toBe(url)
  })

  it('warns once about the missing public URL, not with each request', () => {
    const { server, warnings } = serverWith(null)
    for (const host of ['evil.example', 'evil.example', 'other.example']) mailUrlOf(server, sent('http', host))
    expect(warnings).toEqual([[{ url: 'http://localhost:3000' }, 'mail links use the Host header, set --public-url']])
  })
})
