/** The kinds of events of an object from the perspective of a subscriber (protocol/realtime, HTTP). */
export type Operation = 'create' | 'update' | 'enter' | 'leave' | 'delete' | 'login'

/** An event, with the same payload for all subscribers. */
export interface LiveEvent {
  readonly id: string
  readonly op: Operation
  /** The object as JSON text in the format of queries, with its `className`. */
  readonly object: string
  /** The changed fields; null for operations without them. */
  readonly updatedKeys: readonly string[] | null
}

/** A query that an event affects; see `LiveQuery`. */
export interface Concerned {
  readonly id: string
  readonly proof: number | null
}

/** The receivers of an event: subscribers, with their affected queries. */
export type Audience = ReadonlyMap<string, readonly Concerned[]>

/** Returns the event as JSON text for one query. */
export function eventText({ op, object, updatedKeys }: LiveEvent, queryId: string): string {
  const keys = updatedKeys === null ? '' : `,"updatedKeys":${JSON.stringify(updatedKeys)}`
  return `{"query_id":${JSON.stringify(queryId)},"op":"${op}","object":${object}${keys}}`
}
