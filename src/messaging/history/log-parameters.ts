import type { HistoryQuery, HistorySource, Position } from '../messages/history.ts'

/**
 * The parameters of a history command, by their names on the wire; parameters that were not sent are undefined
 * (protocol/realtime, History: logs).
 */
export interface LogParameters {
  /** The start of the page: a time in milliseconds, and optionally a message of that time. */
  readonly t?: number | undefined
  readonly mid?: string | undefined
  readonly tIncluded?: boolean | undefined
  /** The end of the page. */
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

/** Returns the query of a page. The page is returned in ascending order whatever its direction. */
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

/** Returns the position; null, an end of the history, if the time is missing or 0. */
function positionOf(ts: number | undefined, id: string | undefined, included: boolean | undefined): Position | null {
  if (ts === undefined || ts <= 0) return null
  return { ts, id: id || null, included: included === true }
}

/** Returns the page size. A `limit` of 0 selects the default, but an `l` of 0 requests no messages. */
function limitOf({ l, limit }: LogParameters): number {
  const wanted = l ?? (limit || DEFAULT_LIMIT)
  if (wanted < 0) return DEFAULT_LIMIT
  return Math.min(wanted, MAX_LIMIT)
}
