/** What has happened to an object, as a subscriber sees it (protocol/realtime, HTTP). */
export type Operation = 'create' | 'update' | 'enter' | 'leave' | 'delete' | 'login'

/** What subscribers are notified of, with the same payload for all of them. */
export interface LiveEvent {
  readonly id: string
  readonly op: Operation
  /** The object as JSON text, as a query would show it, with its `className`. */
  readonly object: string
  /** The fields that were changed; null where that says nothing. */
  readonly updatedKeys: readonly string[] | null
}

/** A query that an event concerns; see `LiveQuery`. */
export interface Concerned {
  readonly id: string
  readonly proof: number | null
}

/** Who is notified of an event: subscribers, with those of their queries that it concerns. */
export type Audience = ReadonlyMap<string, readonly Concerned[]>

/** The event as JSON text, as one query gets it. */
export function eventText({ op, object, updatedKeys }: LiveEvent, queryId: string): string {
  const keys = updatedKeys === null ? '' : `,"updatedKeys":${JSON.stringify(updatedKeys)}`
  return `{"query_id":${JSON.stringify(queryId)},"op":"${op}","object":${object}${keys}}`
}
