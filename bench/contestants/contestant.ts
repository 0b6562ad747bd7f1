import type { LoadGenerator } from '../load.ts'
import type { StoredObject } from '../workload.ts'

/** One thing that is asked of every contestant, in words that are the same for all. */
export type Operation =
  | { readonly kind: 'create'; readonly className: string; readonly object: StoredObject }
  | { readonly kind: 'get'; readonly className: string; readonly id: string }
  | { readonly kind: 'increment'; readonly className: string; readonly id: string; readonly field: string }
  | { readonly kind: 'query'; readonly className: string; readonly field: string; readonly value: string }
  | { readonly kind: 'batch'; readonly className: string; readonly objects: readonly StoredObject[] }

/** An HTTP request as the load generator sends it. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Somebody who has an account. */
export interface User {
  /** The request as this user makes it, with the session token that registering gave. */
  asking(request: WireRequest): WireRequest
  /** Logs in with the right password; can be sent again and again. */
  readonly login: WireRequest
}

export const CONTESTANTS = ['homeport', 'before', 'bare', 'parse-server'] as const
export type ContestantName = (typeof CONTESTANTS)[number]

/** A server that takes part, in a process and with a database of its own. */
export interface Contestant {
  readonly name: ContestantName
  readonly url: string
  readonly pid: number
  /** The operation in the words of this contestant. */
  wire(operation: Operation): WireRequest
  /** The requests that together read all objects of a class, a page of 1000 each; they can be sent again and again. */
  scan(className: string): Promise<WireRequest[]>
  /**
   * Sees to it that an equality query on the field is served by an index, by the means that the contestant has.
   * `query` is such a query.
   */
  index(className: string, field: string, query: WireRequest, load: LoadGenerator): Promise<void>
  /** Registers a user; null where users are not measured. */
  readonly register: ((name: string) => Promise<User>) | null
  /** How many objects the class has, by SQL and not by the contestant's word. */
  count(className: string): Promise<number>
  /** The sum of a number field over the class, by SQL. */
  sum(className: string, field: string): Promise<number>
}
