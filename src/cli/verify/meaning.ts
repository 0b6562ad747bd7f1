import type { Kind } from '../../import/batch.ts'
import type { Finding } from '../../import/verification.ts'

/** The meaning of a difference. */
export type Meaning =
  | 'missing'
  | 'differs'
  | 'unreadable'
  | 'only here'
  | 'changed here since'
  | 'changed there since'
  | 'made here since'
  | 'made there since'
  | 'no longer there'

/** Verdicts that make a switch unsafe: data would be lost, or differ from the source. */
const FAULTS: ReadonlySet<Meaning> = new Set(['missing', 'differs', 'unreadable', 'only here'])

export function isFault(meaning: Meaning): boolean {
  return FAULTS.has(meaning)
}

/** When the data was transferred, which determines later changes. All times ISO. */
export interface Arrival {
  /** Whether the source is a running app, which may change; a file cannot. */
  readonly isLive: boolean
  /** All data that the source had until then has been pulled; null: unknown. */
  readonly pulledUntil: string | null
  /** When the first import began; null: there was none. */
  readonly importedAt: string | null
  /** The rules by which leaderboard values change, if these are compared. */
  readonly board?: BoardRules
}

/** The rules that determine whether a value may have changed during normal use. */
export interface BoardRules {
  readonly order: 'ascending' | 'descending'
  /** `better`: values never become worse. */
  readonly updateStrategy: string
  /** Whether the version has ended at the source, so that its values are final. */
  readonly isOver: boolean
}

/** Returns the meaning of a record of the source that is missing here or differs. */
export function meaningOf(of: Kind, { what, changedThere, changedHere, fields }: Finding, arrival: Arrival): Meaning {
  const { isLive, pulledUntil } = arrival
  switch (what) {
    case 'unreadable':
      return 'unreadable'
    case 'missing':
      // A member can only have been removed by a change of its object here.
      if (of.kind === 'relations' && isLater(changedHere, arrival)) return 'changed here since'
      return isLive && pulledUntil !== null && changedThere !== null && changedThere >= pulledUntil
        ? 'made there since'
        : 'missing'
    case 'different':
      if (of.kind === 'statistics') return meaningOfValue(fields, arrival)
      if (changedThere === null || changedHere === null || changedThere === changedHere) return 'differs'
      if (changedHere > changedThere) return 'changed here since'
      return isLive && (pulledUntil === null || changedThere >= pulledUntil) ? 'changed there since' : 'differs'
  }
}

/**
 * Returns the meaning of a different value. Values have no times, so a difference that the rules of the board allow counts as
 * changed.
 */
function meaningOfValue([value]: Finding['fields'], { isLive, board }: Arrival): Meaning {
  if (!board || board.isOver) return 'differs'
  if (board.updateStrategy !== 'better') return isLive ? 'changed there since' : 'changed here since'
  const [here, there] = [Number(value?.here), Number(value?.there)]
  const isBetter = board.order === 'ascending' ? here < there : here > there
  return isBetter ? 'changed here since' : 'differs'
}

/** Returns the meaning of a record that only exists here. @param since the earliest time at which it may have been created */
export function meaningOfExtra(of: Kind, since: string | null, arrival: Arrival): Meaning {
  if (isLater(since, arrival)) return 'made here since'
  // Histories of the hosted service expire after some months.
  const isMessage = of.kind !== 'objects' && of.kind !== 'relations'
  return isMessage && arrival.isLive ? 'no longer there' : 'only here'
}

function isLater(time: string | null, { pulledUntil, importedAt }: Arrival): boolean {
  const arrived = pulledUntil ?? importedAt
  return time !== null && arrived !== null && time >= arrived
}
