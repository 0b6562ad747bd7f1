import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { Need } from '../administrators/administrator.ts'
import { errors } from '../errors.ts'
import type { LimitKind } from '../limits/limit-settings.ts'
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
  /** Base URL at which clients reach the server; see `Call`. */
  readonly baseUrl: string
  readonly headers: IncomingHttpHeaders
  /** The sender of the request and its transport. */
  readonly sent: SentRequest
  /** The method is HEAD: nothing may change by the request. */
  readonly isHead: boolean
  /** The client is a browser that accepts a page rather than JSON. */
  readonly wantsPage: boolean
  /** The browser's `Accept-Language`. */
  readonly acceptLanguage: string | undefined
  /** The client's `User-Agent`. */
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

/** Maximum size of a body in bytes (protocol/storage, Limits). */
export const MAX_BODY_BYTES = 20 * 1024 * 1024

/** The same maximum for a sender that need not authenticate. */
export const MAX_UNPROVED_BYTES = 1024 * 1024

/** Size in characters from which on a body counts as heavy, unless its endpoint sets another one. */
export const HEAVY = 1024 * 1024

/** Properties of every endpoint, for any kind of caller. */
interface RouteFacts<C> {
  readonly method: Method
  /** As in the URL: `:name` matches any text without a slash, `*` the rest. */
  readonly path: string
  /** Maximum size of a request's body in bytes. */
  readonly maxBytes: number
  /** Size in characters from which on a body counts as heavy: only a few such requests run at a time. */
  readonly heavyFrom: number
  /**
   * Returns whether a body of this Content-Type (empty when it has none) is passed on unchanged, in a `RawBody`. null: all bodies are
   * JSON or forms.
   */
  readonly takesBytes: ((contentType: string) => boolean) | null
  readonly handler: (call: C) => Promise<Answer>
}

/** Makes the properties with safe defaults optional. */
type Given<R, Optional extends keyof R> = Omit<R, Optional | 'access'> & { readonly [name in Optional]?: R[name] }

/** An endpoint for an app's clients, by app id and key; one for administrators, by session or token; or one for any caller. */
export type Route = AppRoute | AdminRoute | OpenRoute

/** The limit of the app that a call counts against; null: only as a request, because its items are counted. */
export type Rate = Extract<
  LimitKind,
  'reads' | 'queries' | 'writes' | 'functions' | 'pushes' | 'logins' | 'subscriptions'
> | null

export interface AppRoute extends RouteFacts<Call> {
  readonly access: 'app'
  readonly rate: Rate
  /** Whether administrators may call it with GET: it only returns stored data. */
  readonly adminReadable: boolean
  /** Whether an item of a batch may call it. */
  readonly inBatch: boolean
  /**
   * Whether the members of the body are arguments of a function, which may have any names (protocol/cloud-code, What is
   * forwarded).
   */
  readonly takesArguments: boolean
}

export interface AdminRoute extends RouteFacts<AdminCall>, Description {
  readonly access: 'admin'
  readonly need: Need
  /** Whether calls are recorded in the audit log. */
  readonly audited: boolean
}

/** The description of an endpoint in `/admin/openapi.json`. */
export interface Description {
  /** One sentence: what the endpoint does. */
  readonly summary?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The body of a successful response. */
  readonly answer?: z.ZodType
}

export interface OpenRoute extends RouteFacts<ServerCall>, Description {
  readonly access: 'anybody'
  /** Whether it belongs to the management API, and is described with it. */
  readonly isManagement: boolean
  /** Rejects requests sent by a page of another origin; required for endpoints that set a cookie (`checkOwnPage`). */
  readonly ownPagesOnly: boolean
}

export type AppFacts = Given<
  AppRoute,
  'maxBytes' | 'heavyFrom' | 'takesBytes' | 'adminReadable' | 'inBatch' | 'takesArguments'
>
type AdminFacts = Given<AdminRoute, 'maxBytes' | 'heavyFrom' | 'takesBytes' | 'audited'>
type OpenFacts = Given<OpenRoute, 'maxBytes' | 'heavyFrom' | 'takesBytes' | 'isManagement' | 'ownPagesOnly'>

const BODY = { maxBytes: MAX_BODY_BYTES, heavyFrom: HEAVY, takesBytes: null } as const

/** Describes an endpoint for an app's clients. */
export function route(facts: AppFacts): AppRoute {
  return { access: 'app', ...BODY, adminReadable: false, inBatch: true, takesArguments: false, ...facts }
}

/** Describes an endpoint of an app that needs its master key (protocol/conventions, Authentication). */
export function masterRoute({ handler, ...facts }: AppFacts): AppRoute {
  return route({
    ...facts,
    async handler(call) {
      if (!call.caller.master) throw errors.unauthorized()
      return handler(call)
    },
  })
}

/** Describes an endpoint of the management API. Calls other than GET are recorded in the audit log, unless `audited` is false. */
export function adminRoute(facts: AdminFacts): AdminRoute {
  return { access: 'admin', ...BODY, audited: facts.method !== 'GET', ...facts }
}

/** Describes an endpoint for any caller. */
export function openRoute(facts: OpenFacts): OpenRoute {
  return {
    access: 'anybody',
    ...BODY,
    maxBytes: MAX_UNPROVED_BYTES,
    isManagement: false,
    ownPagesOnly: false,
    ...facts,
  }
}

/** Returns the class by which `/metrics` counts the requests of an endpoint. */
export function metricClassOf(route: Route): string {
  if (route.access === 'app') return route.rate ?? 'other'
  return isManagement(route) ? 'admin' : 'open'
}

/** Returns whether an endpoint belongs to the management API. */
export function isManagement(route: Route): boolean {
  return route.access === 'admin' || (route.access === 'anybody' && route.isManagement)
}
