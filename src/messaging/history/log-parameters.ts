import type { HistoryQuery, HistorySource, Position } from '../messages/history.ts'

/**
 * What a client asks of a history, by the names of the wire; what it did not send is absent (protocol/realtime,
 * History: logs).
 */
export interface LogParameters {
  /** Where the page begins: a time in milliseconds, and a message of that time. */
  readonly t?: number | undefined
  readonly mid?: string | undefined
  readonly tIncluded?: boolean | undefined
  /** Where it ends. */
  readonly tt?: number | undefined
  readonly tmid?: string | undefined
  readonly ttIncluded?: boolean | undefined
  readonly direction?: 'old' | 'new' | undefined
  readonly l?: number | undefined
  readonly limit?: number | undefined
  readonly lctype?: number | undefined
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** The page that a client asks for, to be shown in ascending order whatever its direction. */
export function logsQueryOf(parameters: LogParameters, source: HistorySource): HistoryQuery {
  return {
    source,
    from: positionOf(parameters.t, parameters.mid, parameters.tIncluded),
    to: positionOf(parameters.tt, parameters.tmid, parameters.ttIncluded),
    ascending: parameters.direction === 'new',
    limit: limitOf(parameters),
    type: parameters.lctype ?? null,
  }
}

/** No time, or 0, is the default: an end of the history. */
function positionOf(ts: number | undefined, id: string | undefined, included: boolean | undefined): Position | null {
  if (ts === undefined || ts <= 0) return null
  return { ts, id: id || null, included: included === true }
}

/** `limit` of 0 is the default, but `l` of 0 asks for nothing. */
function limitOf({ l, limit }: LogParameters): number {
  const wanted = l ?? (limit || DEFAULT_LIMIT)
  if (wanted < 0) return DEFAULT_LIMIT
  return Math.min(wanted, MAX_LIMIT)
}
