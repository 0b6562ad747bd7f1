import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startOwnServer } from '../support/own-server.ts'

const { url, adminToken } = await startOwnServer([])
const { hostname, port } = new URL(url)

/** Sends bytes and waits for the end of the connection. @param isAborted the client resets the connection at once */
function send(text: string, isAborted = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      received += part
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(text, 'latin1', () => {
      if (isAborted) socket.resetAndDestroy()
      else socket.end()
    })
  })
}

const request = (line: string, headers = '', body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${body}`

const MALFORMED = [
  ...[
    '/console/assets/..%2f..%2fx',
    '/console/assets/%2e%2e%2f%2e%2e%2fx',
    '/console/assets/a%00.js',
    '/console/%',
    '/console/assets/%zz',
    '/files/%ff%fe/x',
    '/files/..%2f..%2fx/y',
    '/files/a/..%2f..%2fx',
    '/files/a/%00',
    '/1.1/classes/%',
    '/1.1/classes/%c0%ae',
    `/1.1/classes/${'a'.repeat(5000)}`,
    `/1.1/classes/${'a/'.repeat(2000)}`,
    '/admin/%2e%2e/%',
    '/1.1/classes/A?where=%',
    '/1.1/classes/A?where=%00&%=1',
    '//',
    '/%00',
    '*',
  ].map((path) => request(`GET ${path}`)),
  request('POST /1.1/classes/A', 'Content-Type: application/json\r\nContent-Length: x\r\n', '{}'),
  request('POST /1.1/classes/A', 'Content-Type: ;;;\r\nContent-Length: 2\r\n', '{}'),
  request('POST /1.1/classes/A', 'Content-Type: application/json\r\nContent-Length: 900\r\n', '{'),
  request(
    'POST /1.1/classes/A',
    'Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n',
    '{}',
  ),
  request('POST /1.1/classes/A', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', 'zz\r\n'),
  request('POST /1.1/classes/A', 'Content-Type: application/json\r\nTransfer-Encoding: x\r\n', '{}'),
  request('GET /console/homeport.svg', 'Range: bytes=9-1,x\r\n'),
  request('GET /console/homeport.svg', 'Range: bytes=99999999-\r\n'),
  request('GET /console/homeport.svg', 'If-Modified-Since: never\r\nIf-None-Match: "\r\nAccept-Encoding: ,;q=x\r\n'),
  request('PUT /console/homeport.svg'),
  request('FOO /console/'),
  request('TRACE /'),
  'no HTTP\r\n\r\n',
]

it('rejects malformed and aborted requests with 4XX and logs no stack', { timeout: 120_000 }, async () => {
  for (const text of MALFORMED) {
    const received = await send(text)
    expect(received, text.slice(0, 100)).not.toMatch(/^HTTP\/1.1 5/)
    await send(text, true)
    await send(text.slice(0, text.length / 2), true)
  }
  for (const path of ['/console/', '/1.1/date', '/1.1/classes/A'])
    for (let n = 0; n < 20; n++) await send(request(`GET ${path}`), true)
  const response = await fetch(`${url}/admin/log`, { headers: { authorization: `Bearer ${adminToken}` } })
  const { lines } = (await response.json()) as { lines: { text: string }[] }
  expect(lines.map(({ text }) => text).filter((text) => /"stack"|unexpected/.test(text))).toEqual([])
})
