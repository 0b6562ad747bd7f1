import type { Agent, fetch, Response } from 'undici'
import { notice } from '../notices/notice.ts'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { currentTracer } from '../tracing/tracer.ts'
import { HttpFailure, httpFailure } from './http-failure.ts'
import { checkLiteral, lookupReachable, type Reach } from './reachable-address.ts'
import { stoppable } from './stoppable.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  /** A text, or bytes streamed as they arrive. */
  readonly body?: string | AsyncIterable<Uint8Array> | undefined
  /** Milliseconds until the whole response must have arrived, including the time to connect. */
  readonly timeout: number
  /** Ends the exchange early. */
  readonly signal?: AbortSignal
  /** The addresses it may connect to, by the origin of the URL. */
  readonly reach: Reach
}

/** The head of a response. Its body can be read while the exchange lasts. */
export interface HttpAnswer {
  readonly status: number
  /** Returns the value of a header, by its case-insensitive name; null if absent. */
  header(name: string): string | null
  /**
   * Returns the whole body, as UTF-8. May be called once.
   * @param limit maximum bytes after decompression
   * @throws HttpFailure `too-long`, and the rest is not read; or the failure of the connection or time limit
   */
  text(limit: number): Promise<string>
  /**
   * Returns the body piece by piece, as it arrives. May be called once.
   * @throws HttpFailure of the connection or time limit
   */
  bytes(): AsyncIterable<Buffer>
}

/** The client's agents keep connections for further requests, and close them before the server does: no request is repeated. */
interface Client {
  readonly fetch: typeof fetch
  readonly agents: { readonly [reach in Reach]: Agent }
}

let client: Promise<Client> | null = null

/** Loads the library, the largest of all, only when the server makes a request. */
async function openClient(): Promise<Client> {
  const { Agent, fetch } = await import('undici')
  const limited = (reach: Reach) => new Agent({ connect: { lookup: lookupReachable(reach) } })
  return { fetch, agents: { any: new Agent(), app: limited('app'), engine: limited('engine') } }
}

/**
 * Maximum exchanges with a server that end in one iteration of the event loop. Exchanges that began together time out together:
 * 500 calls of slow cloud code that are given up, responded to and followed by the next take half a second.
 */
const endings = new LoopSlicer(16)

/**
 * Makes a single HTTP request, without retries. Redirects are not followed: they would send the request to another server.
 * @param use reads the response within the time limit. What it leaves unread is not received, and its errors are rethrown
 * @throws HttpFailure
 */
export async function exchange<Result>(
  request: HttpRequest,
  use: (answer: HttpAnswer) => Promise<Result>,
): Promise<Result> {
  const tracer = currentTracer()
  if (!tracer) return exchangeOnce(request, use)
  const attributes = { 'http.request.method': request.method, 'server.address': hostOf(request.url) }
  return tracer.span({ name: request.method, kind: 'client', attributes }, (span) =>
    exchangeOnce({ ...request, headers: { ...request.headers, ...tracer.headers() } }, (answer) => {
      span.set({ 'http.response.status_code': answer.status })
      if (answer.status >= 400) span.fail()
      return use(answer)
    }),
  )
}

async function exchangeOnce<Result>(
  request: HttpRequest,
  use: (answer: HttpAnswer) => Promise<Result>,
): Promise<Result> {
  const host = hostOf(request.url)
  const limit = new AbortController()
  const giveUp = () => end(host, () => limit.abort())
  const time = AbortSignal.timeout(request.timeout)
  time.addEventListener('abort', giveUp)
  const failure = (error: unknown) => httpFailure(error, limit.signal.aborted)
  const signals = request.signal ? [limit.signal, request.signal] : [limit.signal]
  return stoppable(signals, async (signal) => {
    const response = await send(request, signal).catch((error) => {
      throw failure(error)
    })
    await new Promise<void>((resolve) => end(host, resolve))
    try {
      return await use({
        status: response.status,
        header: (name) => response.headers.get(name),
        text: (bytes) =>
          textOf(response, bytes).catch((error) => {
            throw failure(error)
          }),
        bytes: () => bytesOf(response, failure),
      })
    } finally {
      if (!response.bodyUsed) await response.body?.cancel().catch(() => {})
    }
  }).finally(() => time.removeEventListener('abort', giveUp))
}

/** Ends an exchange. @param goOn called at once, or in one of the next iterations of the event loop */
function end(host: string, goOn: () => void): void {
  if (endings.take(host)) goOn()
  else endings.wait(host, goOn)
}

function hostOf(url: string | URL): string {
  return URL.canParse(String(url)) ? new URL(url).host : ''
}

async function send(request: HttpRequest, signal: AbortSignal): Promise<Response> {
  const { method, url, headers = {}, body, reach } = request
  checkLiteral(reach, new URL(url))
  client ??= openClient()
  const { fetch, agents } = await client
  return fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    // A streamed body is sent before the response is awaited.
    ...(typeof body === 'object' && { duplex: 'half' as const }),
    redirect: 'manual',
    signal,
    dispatcher: agents[reach],
  })
}

async function textOf({ body }: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > limit) throw new HttpFailure('too-long', notice('moreBytesThan', { maximum: limit }))
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

async function* bytesOf({ body }: Response, failure: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body ?? []) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  } catch (error) {
    throw failure(error)
  }
}
