/** A pass through a part of the source. The first round reads everything, later ones the changes since the previous one began. */
export interface Round {
  /** Only changes since then; null: everything. */
  readonly since: string | null
  /** When the round began, by the clock of the source. */
  readonly began: string
  /** The id of the last written object; null at the beginning. */
  readonly after: string | null
}

/** Milliseconds before a round from which changes are read again, because writes may become visible after their timestamp. */
const OVERLAP = 5 * 60_000

/** The content of a part's mark: the current round, or when the last one began. */
type RoundMark = Round | { readonly done: string }

/**
 * Returns the round to resume, or a new one.
 * @param mark the mark of the part
 * @param now by the clock of the source, as a canonical date
 */
export function roundOf(mark: string | null, now: string): Round {
  const known = mark === null ? null : (JSON.parse(mark) as RoundMark)
  if (!known) return { since: null, began: now, after: null }
  if (!('done' in known)) return known
  return { since: new Date(Date.parse(known.done) - OVERLAP).toISOString(), began: now, after: null }
}

/**
 * Yields rounds until all data that the source had at `now` is pulled. A resumed round misses changes behind its position, so
 * another round follows it.
 * @param mark the mark of the part
 * @param now by the clock of the source, as a canonical date
 */
export function* roundsUntil(mark: string | null, now: string): Generator<Round> {
  const first = roundOf(mark, now)
  yield first
  if (first.began !== now) yield roundOf(endMark(first), now)
}

/** Returns the mark after an object. */
export function markOutdated(round: Round, after: string): string {
  return JSON.stringify({ ...round, after } satisfies RoundMark)
}

/** Returns the mark of a completed round. */
export function endMark({ began }: Round): string {
  return JSON.stringify({ done: began } satisfies RoundMark)
}

/**
 * Returns the time, by the clock of the source, up to which all its data has been pulled; null when it has not been pulled
 * completely.
 * @param mark the mark of the part
 */
export function pulledUntil(mark: string | null): string | null {
  const known = mark === null ? null : (JSON.parse(mark) as RoundMark)
  if (!known) return null
  return 'done' in known ? known.done : known.since
}
