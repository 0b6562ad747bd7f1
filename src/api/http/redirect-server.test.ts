import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connections } from '../../limits/connections.ts'
import { ChallengeResponses } from '../../tls/challenge-responses.ts'
import { createRedirectServer, redirectBase } from './redirect-server.ts'

const NAMES = ['api.example.org', 'files.example.org']

describe('the URL of a redirect', () => {
  it.each([
    ['api.example.org', 443, 'https://api.example.org'],
    ['API.example.org:80', 443, 'https://api.example.org'],
    ['files.example.org', 8443, 'https://files.example.org:8443'],
    ['evil.example.com', 443, 'https://api.example.org'],
    ['192.0.2.1', 443, 'https://api.example.org'],
    ['api.example.org/@evil.example.com', 443, 'https://api.example.org'],
    [undefined, 443, 'https://api.example.org'],
  ])('for the host %s and the port %d is %s', (host, port, expected) => {
    expect(redirectBase({ names: NAMES, publicUrl: null, port: () => port }, host)).toBe(expected)
  })
  it('uses the public URL, whose port may differ from that of the server', () => {
    const redirected = { names: NAMES, publicUrl: 'https://api.example.org', port: () => 8443 }
    expect(redirectBase(redirected, 'api.example.org')).toBe('https://api.example.org')
    expect(redirectBase(redirected, 'other.example.org')).toBe('https://api.example.org')
  })
  it('keeps the host if the server has no names', () => {
    const redirected = { names: [], publicUrl: null, port: () => 443 }
    expect(redirectBase(redirected, 'any.example.org:80')).toBe('https://any.example.org')
    expect(redirectBase(redirected, '[::1]')).toBe('https://[::1]')
    expect(redirectBase(redirected, 'a b')).toBe('https://localhost')
  })
})

describe('the server for plain HTTP', () => {
  const responses = new ChallengeResponses(null)
  const server = createRedirectServer({
    baseUrlFor: (host) => redirectBase({ names: NAMES, publicUrl: null, port: () => 443 }, host),
    responses,
    connections: new Connections({ ofOneAddress: 0, room: 0 }, () => false),
  })
  let port: number
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  async function send(method: string, path: string, body?: string) {
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { host: NAMES[0] } })
    sent.end(body)
    const [response] = await once(sent, 'response')
    return { status: response.statusCode, location: response.headers.location, body: await text(response) }
  }

  it('redirects requests with their method, and names the right URL in the body', async () => {
    const response = await send('POST', '/1.1/classes/Post?a=%20b', 'x'.repeat(300_000))
    expect(response.status).toBe(308)
    expect(response.location).toBe('https://api.example.org/1.1/classes/Post?a=%20b')
    expect(JSON.parse(response.body).error).toContain('https://api.example.org')
  })
  it('serves responses to challenges only while an order is open', async () => {
    await responses.add('token-1', 'token-1.thumbprint')
    expect(await send('GET', '/.well-known/acme-challenge/token-1')).toMatchObject({
      status: 200,
      body: 'token-1.thumbprint',
    })
    for (const token of ['token-2', '', '../token-1', `${'a'.repeat(300)}`, 'tls:api.example.org'])
      expect((await send('GET', `/.well-known/acme-challenge/${token}`)).status, token).toBe(404)
    await responses.remove('token-1')
    expect((await send('GET', '/.well-known/acme-challenge/token-1')).status).toBe(404)
  })
  it('redirects WebSockets and requests for a proxy to its own host', async () => {
    const raw = async (lines: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.end(lines)
      return text(socket)
    }
    const upgrade = 'GET /?a=1 HTTP/1.1\r\nHost: api.example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    expect(await raw(upgrade)).toMatch(/^HTTP\/1.1 308 .*\r\nLocation: https:\/\/api.example.org\/\?a=1\r\n/)
    const proxied = 'GET http://evil.example.com/ HTTP/1.1\r\nHost: evil.example.com\r\n\r\n'
    expect(await raw(proxied)).toContain('location: https://api.example.org/\r\n')
  })
})
