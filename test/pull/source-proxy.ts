import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll } from 'vitest'

/** The treatment of a request; undefined passes it on. */
export type Treatment =
  | 'busy'
  | 'failing'
  | 'closed'
  | 'broken off'
  /** Cut after a megabyte. */
  | 'cut in the middle'
  | 'expired'
  | 'slow'
  /** A list of results without its first. */
  | 'first left out'
  /** A modified response of the source. */
  | ((body: never) => unknown)
  | undefined

export interface SourceProxy {
  readonly url: string
  /** The requested paths with their queries. */
  readonly requested: readonly string[]
  /** Sets the treatment of later requests. */
  misbehave(treatment: (path: string, number: number) => Treatment | Promise<Treatment>): void
}

/** Starts a proxy between a pull and its source that simulates faults of networks and services. */
export async function makeSourceProxy(target: string): Promise<SourceProxy> {
  let decide: (path: string, number: number) => Treatment | Promise<Treatment> = () => undefined
  const requested: string[] = []
  const server = createServer((incoming, outgoing) => {
    const path = decodeURIComponent(incoming.url!)
    requested.push(path)
    void Promise.resolve(decide(path, requested.length)).then((treatment) =>
      answer(target, treatment, incoming, outgoing),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    misbehave(treatment) {
      decide = treatment
    },
  }
}

async function answer(
  target: string,
  treatment: Treatment,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const json = (status: number, body: object, headers: Record<string, string> = {}) =>
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  switch (treatment) {
    case 'busy':
      return void json(429, { code: 429, error: 'Too many requests.' }, { 'retry-after': '1' })
    case 'failing':
      return void json(503, { code: 1, error: 'Unavailable.' })
    case 'expired':
      return void json(400, { code: 102, error: 'The cursor has expired.' })
    case 'closed':
      return void incoming.socket.destroy()
    case 'slow':
      await sleep(700)
  }
  const { host: _, ...headers } = incoming.headers
  if (treatment === 'first left out') {
    const { 'accept-encoding': _, ...plain } = headers
    const reply = await fetch(target + incoming.url, { headers: plain as Record<string, string> })
    const { results } = (await reply.json()) as { results: object[] }
    return void json(200, { results: results.slice(1) })
  }
  if (typeof treatment === 'function') return void passChanged(target, treatment, incoming, outgoing)
  const passed = request(target + incoming.url, { method: incoming.method!, headers }, (reply) => {
    // URLs of exports are rewritten to this proxy.
    const isTask = incoming.url!.startsWith('/1.1/exportData/') && !incoming.url!.includes('.tar.gz')
    if (isTask) return void passNamed(target, `http://${incoming.headers.host}`, reply, outgoing)
    outgoing.writeHead(reply.statusCode!, reply.headers)
    if (treatment === 'cut in the middle') return void passUpTo(MEGABYTE, reply, outgoing)
    if (treatment !== 'broken off') return void reply.pipe(outgoing)
    reply.once('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, 10))
      setTimeout(() => outgoing.destroy(), 20)
    })
  })
  passed.once('error', () => outgoing.destroy())
  incoming.pipe(passed)
}

async function passChanged(
  target: string,
  change: (body: never) => unknown,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { host: _, 'accept-encoding': __, 'content-length': ___, connection: ____, ...headers } = incoming.headers
  const body = incoming.method === 'GET' ? undefined : new Uint8Array(await buffer(incoming))
  const reply = await fetch(target + incoming.url, {
    method: incoming.method!,
    headers: headers as Record<string, string>,
    ...(body && { body }),
  })
  const changed = change((await reply.json()) as never)
  outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(changed))
}

const MEGABYTE = 1024 * 1024

async function passUpTo(most: number, reply: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let passed = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    // Data already written must arrive before the connection closes.
    await new Promise((resolve) => outgoing.write(chunk.subarray(0, most - passed), resolve))
    passed += chunk.length
    if (passed >= most) return void outgoing.destroy()
  }
  outgoing.end()
}

/** Passes on a response with one URL replaced by another. */
async function passNamed(from: string, to: string, reply: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { 'content-length': _, 'content-encoding': encoding, ...headers } = reply.headers
  const bytes = await buffer(reply)
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
  outgoing.writeHead(reply.statusCode!, headers).end(text.replaceAll(from, to))
}
