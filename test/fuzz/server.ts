import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { afterAll, afterEach, expect, vi } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { timeFor } from '../support/runs.ts'
import { newDatabase } from '../support/scratch-database.ts'

/** A raw response. */
export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export interface FuzzedServer {
  readonly url: string
  readonly port: number
  /** The headers of a client of the app, and those of its administrator. */
  readonly client: Record<string, string>
  readonly master: Record<string, string>
  readonly adminToken: string
  send(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<RawAnswer>
  /** Sends bytes on a new connection; null when it is closed without a response. */
  sendRaw(bytes: Buffer): Promise<RawAnswer | null>
}

const CREDENTIALS = { appId: 'fuzz', appKey: 'fuzz-app-key', masterKey: 'fuzz-master-key' }
const ADMIN_TOKEN = 'fuzz-administrator-token'

/** Starts a server on a separate database. After each test it must be healthy, without a fault in its log. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  // A property sends thousands of requests, which take much longer on a busy machine.
  vi.setConfig({ testTimeout: timeFor(120_000) })
  const home = makeHome(afterAll)
  const program = await home.start(['--database-url', await newDatabase(), '--query-timeout', '2000'], {
    HOMEPORT_APP_ID: CREDENTIALS.appId,
    HOMEPORT_APP_KEY: CREDENTIALS.appKey,
    HOMEPORT_MASTER_KEY: CREDENTIALS.masterKey,
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  afterAll(() => agent.destroy())
  afterEach(async () => {
    expect(isRunning(program)).toBe(true)
    const health = await fetch(`${program.url}/health`)
    expect(await health.json()).toEqual({ status: 'ok', version: VERSION, database: 'ok' })
    expect(
      program
        .output()
        .split('\n')
        .filter((line) => line.includes('request failed unexpectedly')),
    ).toEqual([])
  })
  const port = Number(new URL(program.url).port)
  const identity = { 'x-lc-id': CREDENTIALS.appId }
  return {
    url: program.url,
    port,
    adminToken: ADMIN_TOKEN,
    client: { ...identity, 'x-lc-key': CREDENTIALS.appKey, 'content-type': 'application/json' },
    master: { ...identity, 'x-lc-key': `${CREDENTIALS.masterKey},master`, 'content-type': 'application/json' },
    send: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const length: Record<string, number> = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
        const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent })
        sent.once('error', reject)
        sent.once('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              status: response.statusCode!,
              contentType: response.headers['content-type'] ?? '',
              text: Buffer.concat(chunks).toString(),
            }),
          )
        })
        sent.end(body)
      }),
    sendRaw: (bytes) => sendRaw(port, bytes),
  }
}

function sendRaw(port: number, bytes: Buffer): Promise<RawAnswer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer to ${JSON.stringify(bytes.toString('latin1').slice(0, 500))}`))
    }, 30_000)
    const finish = (answer: RawAnswer | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const answer = parseAnswer(Buffer.concat(chunks))
      if (answer) finish(answer)
    })
    socket.once('close', () => finish(null))
    // A server can close while data is being sent; its earlier response counts.
    socket.on('error', () => {})
    socket.write(bytes)
  })
}

/** Parses the first response; null while it is incomplete. */
function parseAnswer(bytes: Buffer): RawAnswer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = bytes.subarray(0, end).toString('latin1')
  const headers = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(head.split(' ')[1])
  // An interim response: 100 Continue.
  if (status === 100) return parseAnswer(bytes.subarray(end + 4))
  const rest = bytes.subarray(end + 4)
  const body =
    headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : upTo(rest, headers.get('content-length'))
  if (body === null) return null
  const decode = DECODERS[headers.get('content-encoding') ?? 'identity']!
  return { status, contentType: headers.get('content-type') ?? '', text: decode(body).toString() }
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body),
  deflate: (body) => inflateSync(body),
  br: (body) => brotliDecompressSync(body),
}

function upTo(bytes: Buffer, length = '0'): Buffer | null {
  return bytes.length < Number(length) ? null : bytes.subarray(0, Number(length))
}

/** Joins the chunks of a body; null while the last is missing. */
function joinChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n', start)
    if (end < 0) return null
    const size = Number.parseInt(bytes.subarray(start, end).toString('latin1'), 16)
    if (size === 0) return Buffer.concat(chunks)
    start = end + 2 + size + 2
    if (bytes.length < start) return null
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
  }
}

/** Text that reveals server internals: stack traces, SQL, names of functions and files. */
const INSIDE =
  /\bat .+:\d+:\d+|node_modules|dist\/|\bSELECT\b.+\bFROM\b|INSERT INTO|\bjsonb|::text|pg_|syntax error at|homeport\.|Internal server error|FST_/

/** Checks the rules for every response. */
export function checkAnswer({ status, contentType, text }: RawAnswer): void {
  const shown = `${status} ${text.slice(0, 1000)}`
  expect(status >= 200 && status < 500 && !(status >= 300 && status < 400), shown).toBe(true)
  if (status === 204) return
  expect(contentType, shown).toMatch(/^application\/json/)
  if (text === '') return
  const body = JSON.parse(text)
  if (status >= 400) checkError(body, shown)
}

export function checkError(body: unknown, shown: string): void {
  const { code, error } = body as { code?: unknown; error?: unknown }
  expect(Number.isInteger(code), shown).toBe(true)
  expect(typeof error === 'string' && error !== '', shown).toBe(true)
  expect(error, shown).not.toMatch(INSIDE)
}
