import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { call, makeApp } from '../support/app.ts'

const app = await makeApp()
const { host, hostname, port } = new URL(inject('serverUrl'))

const BYTES = 300_000
const someBytes = 'b'.repeat(BYTES)
const paths = { file: '', upload: '', token: '' }

/** The data a client sends before it closes the connection. */
interface Cancelled {
  readonly name: string
  request(): string
  /** Whether the client waits for the first bytes of the response. */
  readonly reads?: boolean
}

const head = (line: string, ...headers: string[]) =>
  [
    `${line} HTTP/1.1`,
    `host: ${host}`,
    `x-lc-id: ${app.appId}`,
    `x-lc-key: ${app.masterKey},master`,
    ...headers,
    '',
    '',
  ].join('\r\n')
const admin = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${inject('adminToken')}`, ...headers, '', ''].join(
    '\r\n',
  )
const JSON_TYPE = 'content-type: application/json'
const BYTE_TYPE = 'content-type: application/octet-stream'
const FIND = '{"limit":1000}'
const find = () =>
  admin(`POST /admin/apps/${app.appId}/classes/Big/find`, JSON_TYPE, `content-length: ${FIND.length}`) + FIND
const batch = JSON.stringify({ requests: [{ method: 'GET', path: '/1.1/classes/Big', params: { limit: 1000 } }] })
const part = (name: string, more = '') => `--abc\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`

const CANCELLED: readonly Cancelled[] = [
  { name: 'a query before its response', request: () => head('GET /1.1/classes/Big?limit=1000') },
  { name: 'a query in its response', request: () => head('GET /1.1/classes/Big?limit=1000'), reads: true },
  {
    name: 'a query in its compressed response',
    request: () => head('GET /1.1/classes/Big?limit=1000', 'accept-encoding: gzip'),
    reads: true,
  },
  { name: 'a page of the console before its response', request: find },
  { name: 'a page of the console in its response', request: find, reads: true },
  {
    name: 'a batch before its response',
    request: () => head('POST /1.1/batch', JSON_TYPE, `content-length: ${batch.length}`) + batch,
  },
  { name: 'a small body', request: () => `${head('POST /1.1/classes/Big', JSON_TYPE, 'content-length: 1000')}{"a":` },
  {
    name: 'a large body',
    request: () => `${head('POST /1.1/classes/Big', JSON_TYPE, 'content-length: 1000000')}{"a":"${someBytes}`,
  },
  {
    name: 'a body in chunks',
    request: () => `${head('POST /1.1/classes/Big', JSON_TYPE, 'transfer-encoding: chunked')}5\r\n{"a":\r\n`,
  },
  {
    name: 'the content of a file',
    request: () => head('POST /1.1/files/cut.bin', BYTE_TYPE, 'content-length: 1000000') + someBytes,
  },
  {
    name: 'a batch of an import',
    request: () =>
      admin(
        `POST /admin/apps/${app.appId}/imports/none/batches`,
        'content-type: application/x-ndjson',
        'content-length: 1000000',
      ) + someBytes,
  },
  {
    name: 'an upload',
    request: () => head(`PUT ${paths.upload}`, BYTE_TYPE, 'content-length: 1000000') + someBytes,
  },
  {
    name: 'an upload by form',
    request: () =>
      head(`POST ${paths.upload}`, 'content-type: multipart/form-data; boundary=abc', 'content-length: 1000000') +
      `${part('token')}${paths.token}\r\n${part('file', '; filename="a"')}${someBytes}`,
  },
  { name: 'a download before its response', request: () => head(`GET ${paths.file}`) },
  { name: 'a download in its response', request: () => head(`GET ${paths.file}`), reads: true },
  { name: 'a page of the console', request: () => head('GET /console/') },
]

describe('a request canceled by its client', () => {
  let seen = 0
  const log = async () => {
    const path = `/admin/log?after=${seen}`
    const authorization = `Bearer ${inject('adminToken')}`
    const { body } = await call(inject('serverUrl'), 'GET', path, { authorization }, undefined)
    const lines = body.lines as { number: number; text: string }[]
    seen = lines.at(-1)?.number ?? seen
    return lines.map(({ text }) => text)
  }

  beforeAll(async () => {
    const big = 'x'.repeat(10_000)
    const requests = Array.from({ length: 50 }, () => ({ method: 'POST', path: '/1.1/classes/Big', body: { big } }))
    for (let n = 0; n < 4; n++) await app.request('POST', '/1.1/batch', { master: true, body: { requests } })
    const stored = await app.request('POST', '/1.1/files/big.bin', {
      master: true,
      headers: { 'content-type': 'application/octet-stream' },
      body: 'y'.repeat(6_000_000),
    })
    const made = await app.request('POST', '/1.1/fileTokens', { master: true, body: { name: 'a.bin', key: 'a.bin' } })
    Object.assign(paths, {
      file: new URL(stored.body.url).pathname,
      upload: new URL(made.body.upload_url).pathname,
      token: made.body.token,
    })
    await log()
  })

  it.each(CANCELLED)('is not an unexpected error: $name', async ({ request, reads }) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    await new Promise<void>((resolve) => socket.write(request(), () => resolve()))
    if (reads) await once(socket, 'data')
    socket.resetAndDestroy()
    // This equal request of a connected client finishes after the canceled one.
    await app.request('GET', '/1.1/classes/Big', { master: true, query: { limit: '1000' } })
    const broken = (await log()).filter(
      (line) => /unexpected/.test(line) && /AbortError|Premature|ECONN|EPIPE/.test(line),
    )
    expect(broken).toEqual([])
  })
})
