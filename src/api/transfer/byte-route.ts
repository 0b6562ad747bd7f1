import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { SentRequest } from '../../proxies.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Answer } from '../call.ts'
import type { Server } from '../server-context.ts'

/** A call to an endpoint that receives or returns bytes unchanged: files, in constant memory whatever their size. */
export interface ByteCall {
  readonly server: Server
  readonly method: string
  readonly params: { readonly [name: string]: string }
  /** The path as it was sent, without the query string. */
  readonly path: string
  /** The query string as it was sent, without the question mark; '' for none. */
  readonly search: string
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body; the stream fails when the client disconnects before its end. */
  readonly body: Readable
  /** Content-Length; null: not declared. */
  readonly length: number | null
  /** Aborts with ApiError 499 when the client disconnects. */
  readonly signal: AbortSignal
  readonly sent: SentRequest
  /** Returns the principal charged for the call in an app. */
  principalIn(appId: string): Principal
  /** Base URL at which clients reach the server; see `Call`. */
  readonly baseUrl: string
  /**
   * Returns an app, and counts the request against its limits.
   * @throws ApiError 404 when the app does not exist, 429; OriginRefused when the app does not allow the page that sent
   *   the request
   */
  openApp(appId: string): Promise<RunningApp>
}

export interface ByteRoute {
  readonly methods: readonly ('GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE')[]
  readonly path: string
  /** What the endpoint does, for `/admin/openapi.json`. */
  readonly summary?: string
  /** Whether it belongs to the management API, and is described with it. */
  readonly isManagement: boolean
  readonly handler: (call: ByteCall) => Promise<Answer>
}

/** Describes an endpoint for callers that know an unguessable token or key. */
export function byteRoute(facts: Omit<ByteRoute, 'isManagement'>): ByteRoute {
  return { ...facts, isManagement: false }
}
