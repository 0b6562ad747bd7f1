import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import type { EngineKeys } from '../../src/hooks/engine-headers.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { freePort } from './free-port.ts'

/** Keys of an app that must not appear in any log or error text. */
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

/** An engine process that responds as engines do, or as configured by the test. */
export interface StandInEngine {
  readonly url: string
  /** The function calls so far. */
  readonly calls: EngineCall[]
  /** The metadata requests so far, including OPTIONS. */
  readonly questions: EngineCall[]
  /** The responses of functions, by name or by whole path; the metadata lists them. */
  readonly functions: Map<string, Reply>
  /** Whether it decodes the escapes of a path, which engines for Node.js do not. */
  undoesEscapes: boolean
  /** Whether it reports that it knows the hook key. */
  knowsHookKey: boolean
  /** The runtime reported by its health check. */
  runtime: string
  /** Overrides the response to metadata requests. */
  metadata: Reply | null
}

/** Returns a JSON response. */
export function json(content: unknown, status = 200): Reply {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}

/** Parses the JSON body of a call. */
export function inputOf(call: EngineCall | undefined): JsonObject {
  return JSON.parse(call!.body)
}

/** Starts an engine that runs until the test file ends. */
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
  // Only the client closes idle connections: otherwise a call in transit could be lost.
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

/** Returns a URL without a listening server. */
export async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`
}
