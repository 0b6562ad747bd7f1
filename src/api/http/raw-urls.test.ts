import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { takeRawUrls } from './raw-urls.ts'
import { refuseBroken } from './refused-requests.ts'

interface Seen {
  readonly method: string
  readonly url: string
  body: string
}

const seen: Seen[] = []
const upgraded: string[] = []
beforeEach(() => {
  seen.length = 0
  upgraded.length = 0
})

const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  const one = { method: request.method!, url: request.url!, body: '' }
  seen.push(one)
  // Requests that are rejected are truncated.
  one.body = (
    await request
      .setEncoding('latin1')
      .toArray()
      .catch(() => [])
  ).join('')
  response.end(request.url!.startsWith('/large') ? 'x'.repeat(1_000_000) : 'ok')
})
server.on('clientError', refuseBroken)
server.on('upgrade', (_request, socket, head) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
  const take = (chunk: Buffer) => {
    upgraded.push(chunk.toString('latin1'))
    if (upgraded.join('').endsWith('!')) socket.end()
  }
  if (head.length > 0) take(head)
  socket.on('data', take)
})
takeRawUrls(server)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})

/**
 * Sends bytes in pieces of `size` bytes, each in a separate read.
 * @returns all responses until the connection ends
 */
async function send(bytes: string | Buffer, size = Number.POSITIVE_INFINITY): Promise<string> {
  const socket = open().setNoDelay()
  await once(socket, 'connect')
  const answer = text(socket)
  const all = Buffer.from(bytes)
  for (let start = 0; start < all.length; start += size) {
    socket.write(all.subarray(start, start + size))
    if (size < all.length) await new Promise((resolve) => setImmediate(resolve))
  }
  return answer
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
const get = (url: string, last = true) => `GET ${url} HTTP/1.1\r\nHost: x\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
const post = (url: string, body: string, last = false) =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\n${last ? 'Connection: close\r\n' : ''}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const chunked = (url: string, chunks: readonly string[]) =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
    .map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
    .join('')}0\r\n\r\n`
const latin = (value: string) => Buffer.from(value).toString('latin1')
const escaped = (value: string) => value.replace(/[^ -~]+/gu, encodeURIComponent)

const WHERE = '/1.1/classes/P?where={"name":"中文🎉é"}'

/** The sizes of reads; with one byte, every position is the end of a read. */
const SIZES = [Number.POSITIVE_INFINITY, 1, 2, 3, 7, 50]

describe.each(SIZES)('read in pieces of %d bytes', (size) => {
  it('accepts UTF-8 in a URL', async () => {
    expect(statuses(await send(get(WHERE), size))).toEqual([200])
    expect(seen).toEqual([{ method: 'GET', url: escaped(WHERE), body: '' }])
  })

  it('accepts several requests on a connection', async () => {
    const body = 'GET /中 HTTP/1.1\r\n\r\n\r\nPOST /文 HTTP/1.1\r\n\r\n'
    const chunks = ['\r\n\r\n', 'GET /中 HTTP/1.1\r\nHost: x\r\n\r\n', '\n\n0\r\n\r\n']
    const requests = [
      get('/a中', false),
      post('/b文', body),
      '\r\n\r\n',
      chunked('/c中', chunks),
      post('/d', ''),
      get('/plain', false),
      chunked('/e文', []),
      post('/f中', '{"名":"值"}'),
      get('/g中'),
    ]
    expect(statuses(await send(requests.join(''), size))).toEqual(Array(8).fill(200))
    expect(seen).toEqual([
      { method: 'GET', url: '/a%E4%B8%AD', body: '' },
      { method: 'POST', url: '/b%E6%96%87', body: latin(body) },
      { method: 'POST', url: '/c%E4%B8%AD', body: latin(chunks.join('')) },
      { method: 'POST', url: '/d', body: '' },
      { method: 'GET', url: '/plain', body: '' },
      { method: 'POST', url: '/e%E6%96%87', body: '' },
      { method: 'POST', url: '/f%E4%B8%AD', body: latin('{"名":"值"}') },
      { method: 'GET', url: '/g%E4%B8%AD', body: '' },
    ])
  })

  it('passes on the bytes after an upgrade unchanged', async () => {
    const upgrade = 'GET /中 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
    const after = 'GET /中 HTTP/1.1\r\n\r\nPOST /文 HTTP/1.1\r\n\r\n!'
    expect(statuses(await send(upgrade + after, size))).toEqual([101])
    expect(upgraded.join('')).toBe(latin(after))
    expect(seen).toEqual([])
  })

  it('sends 100 Continue to a request that waits for it', async () => {
    const head =
      'POST /中 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 3\r\n\r\n'
    expect(statuses(await send(`${head}中`, size))).toEqual([100, 200])
    expect(seen).toEqual([{ method: 'POST', url: '/%E4%B8%AD', body: latin('中') }])
  })

  it.each<[what: string, request: Buffer]>([
    ['no UTF-8', Buffer.from(get('/\xd6\xd0'), 'latin1')],
    ['half a character at the end', Buffer.from(get('/\xe4\xb8'), 'latin1')],
    ['an overlong form of a line break', Buffer.from(get('/\xc0\x8a'), 'latin1')],
    ['half a surrogate', Buffer.from(get('/\xed\xa0\x80'), 'latin1')],
    ['a method with other letters', Buffer.from('GÉT / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a version with other digits', Buffer.from('GET /中 HTTP/１.1\r\nHost: x\r\n\r\n')],
    ['a blank', Buffer.from(get('/?where={"a": "中"}'))],
    ['a tab', Buffer.from(get('/中\t'))],
    ['a NUL', Buffer.from(get('/中\0'))],
    ['a CR alone', Buffer.from(get('/中\rGET /secret HTTP/1.1'))],
    ['two lengths', Buffer.from('POST /中 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')],
    [
      'a length and chunks',
      Buffer.from('POST /中 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    [
      'chunks under another name',
      Buffer.from('POST /中 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'),
    ],
    ['a header name with a space', Buffer.from('GET /中 HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n')],
    ['broken chunks', Buffer.from('POST /中 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n中\r\n')],
  ])('rejects %s, and everything after it', async (_what, request) => {
    const answer = await send(Buffer.concat([request, Buffer.from(get('/secret'))]), size)
    expect(statuses(answer).at(-1)).toBe(400)
    expect(statuses(answer).filter((status) => status === 200)).toEqual([])
    expect(seen.filter(({ url }) => url.includes('secret') || url.includes('%00'))).toEqual([])
  })
})

it('lets the parser see the same requests as without escaping, whatever bytes arrive', async () => {
  // Every beginning of a request, at the end of every kind of body.
  const bodies = ['', 'x', '\n', '\r\n', '\r\n\r\n', '中', 'GET /中 HTTP/1.1\r\n\r\n', 'UN', 'PROP', '0\r\n\r\n']
  const requests = bodies.flatMap((body, n) => [post(`/p${n}`, body), chunked(`/c${n}`, body === '' ? [] : [body])])
  await send(requests.join('') + get('/last'))
  expect(seen.map(({ url }) => url)).toEqual([...bodies.flatMap((_, n) => [`/p${n}`, `/c${n}`]), '/last'])
  expect(seen.map(({ body }) => body)).toEqual([...bodies.flatMap((body) => [latin(body), latin(body)]), ''])
})

it('pauses a connection whose responses are not read, and resumes in order', async () => {
  const urls = Array.from({ length: 40 }, (_, n) => `/large/${n}中`)
  const requests = urls.map((url, n) => get(url, n === urls.length - 1)).join('')
  const answer = await send(requests)
  expect(statuses(answer)).toEqual(urls.map(() => 200))
  expect(seen.map(({ url }) => url)).toEqual(urls.map(escaped))
})

it('receives a body completely that is read slowly', async () => {
  const body = '中\r\n\r\n'.repeat(200_000)
  expect(statuses(await send(post('/中', body) + get('/last中')))).toEqual([200, 200])
  expect(seen.map(({ url, body }) => [url, body.length])).toEqual([
    ['/%E4%B8%AD', Buffer.byteLength(body)],
    ['/last%E4%B8%AD', 0],
  ])
})

it('rejects a URL that is too long after escaping as too long', async () => {
  expect(statuses(await send(get(`/${'中'.repeat(2000)}`)))).toEqual([431])
})
