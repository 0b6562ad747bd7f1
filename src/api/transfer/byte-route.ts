import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { SentRequest } from '../../proxies.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Answer } from '../call.ts'
import type { Server } from '../server-context.ts'

/** A call to an endpoint that takes or gives bytes as they are: files, in constant memory whatever their size. */
export interface ByteCall {
  readonly server: Server
  readonly method: string
  readonly params: { readonly [name: string]: string }
  /** As it was sent, without the query string. */
  readonly path: string
  /** What stands behind the question mark of the URL, as it was sent; '' where there is none. */
  readonly search: string
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body, which fail when the client goes away before their end. */
  readonly body: Readable
  /** How many the client has announced; null: it has not. */
  readonly length: number | null
  /** Aborted with ApiError 499 when the client goes away. */
  readonly signal: AbortSignal
  readonly sent: SentRequest
  /** The principal charged for it in an app. */
  partyIn(appId: string): Principal
  /** Where clients reach the server; see `Call`. */
  readonly baseUrl: string
  /**
   * The app of that id, for which the request counts.
   * @throws ApiError 404 when there is no such app, 429; OriginRefused when it does not let the page ask that has sent the request
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

/** Describes an endpoint for callers that know a token or a key which cannot be guessed. */
export function byteRoute(facts: Omit<ByteRoute, 'isManagement'>): ByteRoute {
  return { ...facts, isManagement: false }
}
