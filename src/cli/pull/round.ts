/**
 * A walk through a part of the source. The first one takes everything, later ones what has been changed since the one
 * before began.
 */
export interface Round {
  /** Only what was changed since then; null: everything. */
  readonly since: string | null
  /** When the walk began, by the clock of the source. */
  readonly began: string
  /** The id of the last object that is written; null at the beginning. */
  readonly after: string | null
}

/** Milliseconds in front of a round from which on changes are read again: writes may be seen later than they were made. */
const OVERLAP = 5 * 60_000

/** What the mark of a part says: a round that is under way, or when the last one began. */
type RoundMark = Round | { readonly done: string }

/**
 * The round that goes on, or the one that begins now.
 * @param mark of the part
 * @param now by the clock of the source, as a canonical date
 */
export function roundOf(mark: string | null, now: string): Round {
  const known = mark === null ? null : (JSON.parse(mark) as RoundMark)
  if (!known) return { since: null, began: now, after: null }
  if (!('done' in known)) return known
  return { since: new Date(Date.parse(known.done) - OVERLAP).toISOString(), began: now, after: null }
}

/**
 * The rounds until all has come that the source had `now`. One that an earlier run had begun knows nothing of what was
 * changed since it passed: another one brings that.
 * @param mark of the part
 * @param now by the clock of the source, as a canonical date
 */
export function* roundsUntil(mark: string | null, now: string): Generator<Round> {
  const first = roundOf(mark, now)
  yield first
  if (first.began !== now) yield roundOf(endMark(first), now)
}

/** The mark behind an object. */
export function markBehind(round: Round, after: string): string {
  return JSON.stringify({ ...round, after } satisfies RoundMark)
}

/** The mark of a round that has come to its end. */
export function endMark({ began }: Round): string {
  return JSON.stringify({ done: began } satisfies RoundMark)
}

/** Until when, by the clock of the source, all that it had has come; null where that is not so yet. @param mark of the part */
export function pulledUntil(mark: string | null): string | null {
  const known = mark === null ? null : (JSON.parse(mark) as RoundMark)
  if (!known) return null
  return 'done' in known ? known.done : known.since
}
