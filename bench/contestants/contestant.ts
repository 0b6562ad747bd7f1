import type { LoadGenerator } from '../load.ts'
import type { StoredObject } from '../workload.ts'

/** A request to a contestant, in a neutral form. */
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

/** A registered user. */
export interface User {
  /** Returns the request with the session token of this user. */
  requestOf(request: WireRequest): WireRequest
  /** A login with the right password, which can be repeated. */
  readonly login: WireRequest
}

export const CONTESTANTS = ['homeport', 'before', 'bare', 'parse-server'] as const
export type ContestantName = (typeof CONTESTANTS)[number]

/** A measured server, in a separate process with a separate database. */
export interface Contestant {
  readonly name: ContestantName
  readonly url: string
  readonly pid: number
  /** Converts an operation to a request of this contestant. */
  wire(operation: Operation): WireRequest
  /** Returns the requests that together read all objects of a class in pages of 1000; they can be repeated. */
  scan(className: string): Promise<WireRequest[]>
  /**
   * Ensures that an equality query on the field uses an index, by the means of the contestant.
   * @param query such a query
   */
  index(className: string, field: string, query: WireRequest, load: LoadGenerator): Promise<void>
  /** Registers a user; null when users are not measured. */
  readonly register: ((name: string) => Promise<User>) | null
  /** Counts the objects of the class by SQL, independently of the contestant. */
  count(className: string): Promise<number>
  /** Returns the sum of a number field over the class, by SQL. */
  sum(className: string, field: string): Promise<number>
}
