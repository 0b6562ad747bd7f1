import type { Agent, fetch, Response } from 'undici'
import { notice } from '../notices/notice.ts'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { HttpFailure, httpFailure } from './http-failure.ts'
import { checkLiteral, lookupReachable, type Reach } from './reachable-address.ts'
import { stoppable } from './stoppable.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  /** A text, or bytes as they come. */
  readonly body?: string | AsyncIterable<Uint8Array> | undefined
  /** Milliseconds until the whole answer has to be here, connecting included. */
  readonly timeout: number
  /** Ends the exchange early. */
  readonly signal?: AbortSignal
  /** Which addresses may be connected to, by who chose the URL. */
  readonly reach: Reach
}

/** The beginning of an answer: its body is read as long as the exchange lasts. */
export interface HttpAnswer {
  readonly status: number
  /** The value of a header, by its name in any case; null where it is not there. */
  header(name: string): string | null
  /**
   * The whole body, as UTF-8. Once at most.
   * @param limit bytes that it may have, unpacked
   * @throws HttpFailure `too-long`, and the rest is not read; or what the connection or the time limit ends with
   */
  text(limit: number): Promise<string>
  /**
   * The body piece by piece, as it arrives. Once at most.
   * @throws HttpFailure, or what the connection or the time limit ends with
   */
  bytes(): AsyncIterable<Buffer>
}

/** Connections wait in its agents for further requests, and are given up before the server closes them: no request is repeated. */
interface Client {
  readonly fetch: typeof fetch
  readonly agents: { readonly [reach in Reach]: Agent }
}

let client: Promise<Client> | null = null

/** A server that asks nobody does without the library: it is the largest of all. */
async function openClient(): Promise<Client> {
  const { Agent, fetch } = await import('undici')
  const limited = (reach: Reach) => new Agent({ connect: { lookup: lookupReachable(reach) } })
  return { fetch, agents: { any: new Agent(), app: limited('app'), engine: limited('engine') } }
}

/**
 * Of the exchanges with a server so many end in a turn of the event loop. Those that began together run out of time
 * together: 500 calls of slow cloud code that are given up, answered and followed by the next take half a second.
 */
const endings = new LoopSlicer(16)

/**
 * Makes one request over HTTP, and makes it once. Redirects are not followed: they would take what is sent to somebody
 * else.
 * @param use reads the answer, within the time limit. What it leaves unread is not received, and what it throws is
 *   thrown on
 * @throws HttpFailure
 */
export async function exchange<Result>(
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

/** @param goOn called at once, or in one of the next turns of the event loop */
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
    // What comes piece by piece is sent before the answer is waited for.
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
