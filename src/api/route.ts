import { errors } from '../errors.ts'
import type { SentRequest } from '../proxies.ts'
import type { Answer, Call } from './call.ts'
import type { Server } from './server-context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A call to an endpoint that belongs to no app. */
export interface ServerCall {
  readonly server: Server
  readonly params: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: unknown }
  readonly body: unknown
  /** Where clients reach the server; see `Call`. */
  readonly baseUrl: string
  /** Who sent the request, and how. */
  readonly sent: SentRequest
  /** A person's browser asks, and wants a page rather than JSON. */
  readonly wantsPage: boolean
  /** The languages that the browser prefers, as `Accept-Language` says them. */
  readonly acceptLanguage: string | undefined
}

/** Who may call: an app's clients (by id and key), the administrator (by token), or anybody. */
export type Route = AppRoute | ServerRoute

export interface AppRoute {
  readonly method: Method
  readonly path: string
  readonly access: 'app'
  readonly handle: (call: Call) => Promise<Answer>
}

interface ServerRoute {
  readonly method: Method
  readonly path: string
  readonly access: 'admin' | 'anybody'
  readonly handle: (call: ServerCall) => Promise<Answer>
}

/** An endpoint for an app's clients. */
export function route(method: Method, path: string, handle: (call: Call) => Promise<Answer>): Route {
  return { method, path, access: 'app', handle }
}

/** An endpoint of an app that needs its master key (protocol/conventions, Authentication). */
export function masterRoute(method: Method, path: string, handle: (call: Call) => Promise<Answer>): Route {
  return route(method, path, async (call) => {
    if (!call.caller.master) throw errors.unauthorized()
    return handle(call)
  })
}

export function adminRoute(method: Method, path: string, handle: (call: ServerCall) => Promise<Answer>): Route {
  return { method, path, access: 'admin', handle }
}

export function openRoute(method: Method, path: string, handle: (call: ServerCall) => Promise<Answer>): Route {
  return { method, path, access: 'anybody', handle }
}
