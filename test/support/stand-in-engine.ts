import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import type { EngineKeys } from '../../src/hooks/engine-headers.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { freePort } from './free-port.ts'

/** Keys of an app that must be found in no log and in no error text. */
export const KEYS: EngineKeys = {
  id: 'app-1',
  appKey: 'secret-app-key',
  masterKey: 'secret-master-key',
  hookKey: 'secret-hook-key',
}

export interface EngineCall {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Reply = (response: ServerResponse, call: EngineCall) => void

/** A web process that answers as engines do, or as the test says. */
export interface StandInEngine {
  readonly url: string
  /** The calls of functions so far. */
  readonly calls: EngineCall[]
  /** The requests for metadata so far, OPTIONS among them. */
  readonly questions: EngineCall[]
  /** By name, or by the whole path, what functions answer; they are also what the metadata names. */
  readonly functions: Map<string, Reply>
  /** Whether it undoes the escapes of a path, which engines for Node.js do not. */
  undoesEscapes: boolean
  /** Whether it lets the service know that it knows the hook key. */
  knowsHookKey: boolean
  /** What its health check says that it runs on. */
  runtime: string
  /** Answers the question for metadata in the engine's place. */
  metadata: Reply | null
}

/** Answers with JSON. */
export function json(content: unknown, status = 200): Reply {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}

/** The body of a call that was made with JSON. */
export function inputOf(call: EngineCall | undefined): JsonObject {
  return JSON.parse(call!.body)
}

/** An engine for as long as the test file runs. */
export async function standInEngine(): Promise<StandInEngine> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const call = { method, url, headers, body: await text(request) }
    if (url === '/1.1/functions/_ops/metadatas') {
      engine.questions.push(call)
      if (method === 'OPTIONS') options(response)
      else (engine.metadata ?? json({ result: [...engine.functions.keys()] }))(response, call)
      return
    }
    if (url === '/__engine/1/ping') return json({ runtime: engine.runtime, version: '1.0.0' })(response, call)
    engine.calls.push(call)
    const name = url.replace(/^\/1.1\/(functions|call)\//, '')
    const reply =
      engine.functions.get(url) ??
      engine.functions.get(name) ??
      (engine.undoesEscapes ? engine.functions.get(decodeURIComponent(name)) : undefined)
    const absent = json({ code: 1, error: `No such cloud function '${name}'` }, 404)
    ;(reply ?? absent)(response, call)
  })
  const options = (response: ServerResponse) => {
    const allowed = engine.knowsHookKey ? 'Content-Type, X-LC-Id, X-LC-Hook-Key, X-LC-Prod' : 'Content-Type, X-LC-Id'
    response.writeHead(200, { 'access-control-allow-headers': allowed }).end()
  }
  // An idle connection is for its client to close: a call that is on its way just then would be lost.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const engine: StandInEngine = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    questions: [],
    functions: new Map(),
    knowsHookKey: true,
    undoesEscapes: true,
    runtime: 'nodejs-v20.19.0',
    metadata: null,
  }
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return engine
}

/** A URL at which nobody listens. */
export async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`
}
