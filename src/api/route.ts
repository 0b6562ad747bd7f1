import type { z } from 'zod'
import type { Need } from '../administrators/administrator.ts'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import type { SentRequest } from '../proxies.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { Admin } from './authenticate-admin.ts'
import type { Answer, Call } from './call.ts'
import type { Server } from './server-context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A call to an endpoint that belongs to no app. */
export interface ServerCall {
  readonly server: Server
  readonly params: { readonly [name: string]: string }
  readonly query: Parameters
  readonly body: unknown
  /** Where clients reach the server; see `Call`. */
  readonly baseUrl: string
  /** Who sent the request, and how. */
  readonly sent: SentRequest
  /** The method is HEAD: the caller wants to learn about the URL, and nothing may change by it. */
  readonly isHead: boolean
  /** A person's browser asks, and wants a page rather than JSON. */
  readonly wantsPage: boolean
  /** The languages that the browser prefers, as `Accept-Language` says them. */
  readonly acceptLanguage: string | undefined
  /** What the browser or the script says of itself. */
  readonly userAgent: string
}

/** A call to an endpoint of the management API. */
export interface AdminCall extends ServerCall {
  readonly admin: Admin
  readonly method: string
  /** The path as it was sent, without the query string. */
  readonly path: string
  /** Calls an endpoint of an app with its master key. */
  readonly callApp: (app: RunningApp, method: string, path: string) => Promise<Answer>
}

/** Who may call: an app's clients (by id and key), administrators (by session or token), or anybody. */
export type Route = AppRoute | AdminRoute | OpenRoute

export interface AppRoute {
  readonly method: Method
  readonly path: string
  readonly access: 'app'
  readonly handle: (call: Call) => Promise<Answer>
}

export interface AdminRoute {
  readonly method: Method
  readonly path: string
  readonly access: 'admin'
  readonly need: Need
  /** Whether a call is noted in the audit log. */
  readonly audited: boolean
  readonly description: Description
  readonly handle: (call: AdminCall) => Promise<Answer>
}

/** What `/admin/openapi.json` says of an endpoint. */
export interface Description {
  /** One sentence: what the endpoint does. */
  readonly summary?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** What it answers when all goes well. */
  readonly answer?: z.ZodType
}

interface AdminRouteOptions extends Description {
  readonly need?: Need
  readonly audited?: boolean
}

interface OpenRoute {
  readonly method: Method
  readonly path: string
  readonly access: 'anybody'
  readonly description: Description
  /** Refuses requests that a page of another origin sent, as all do that set a cookie (`checkOwnPage`). */
  readonly ownPagesOnly: boolean
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

/**
 * An endpoint of the management API. Unless told otherwise, what is about an app is for those who may see or change it, all
 * else for owners; what changes something is noted in the audit log.
 */
export function adminRoute(
  method: Method,
  path: string,
  handle: (call: AdminCall) => Promise<Answer>,
  { need = needOf(method, path), audited = method !== 'GET', ...description }: AdminRouteOptions = {},
): Route {
  return { method, path, access: 'admin', need, audited, description, handle }
}

function needOf(method: Method, path: string): Need {
  if (!path.startsWith('/admin/apps/:appId')) return 'own'
  return method === 'GET' ? 'see' : 'change'
}

export function openRoute(
  method: Method,
  path: string,
  handle: (call: ServerCall) => Promise<Answer>,
  { ownPagesOnly = false, ...description }: Description & { readonly ownPagesOnly?: boolean } = {},
): Route {
  return { method, path, access: 'anybody', description, ownPagesOnly, handle }
}
