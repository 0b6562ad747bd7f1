import type { Kind } from '../../import/batch.ts'
import type { Finding } from '../../import/verification.ts'

/** What a difference means. */
export type Verdict =
  | 'missing'
  | 'differs'
  | 'unreadable'
  | 'only here'
  | 'changed here since'
  | 'changed there since'
  | 'made here since'
  | 'made there since'
  | 'no longer there'

/** Whoever switches would lose something, or does not have what the source has. */
const FAULTS: ReadonlySet<Verdict> = new Set(['missing', 'differs', 'unreadable', 'only here'])

export function isFault(verdict: Verdict): boolean {
  return FAULTS.has(verdict)
}

/** When the data came, by which it is told what has changed since. All times ISO. */
export interface Arrival {
  /** The source is an app that runs, and may change; a file cannot. */
  readonly isLive: boolean
  /** Everything that the source had until then has been pulled; null: not known. */
  readonly pulledUntil: string | null
  /** When the first import began; null: there was none. */
  readonly importedAt: string | null
  /** How values of a leaderboard change, where these are compared. */
  readonly board?: BoardRules
}

/** What tells whether a value may have become another one by itself. */
export interface BoardRules {
  readonly order: 'ascending' | 'descending'
  /** `better`: a value never becomes a worse one. */
  readonly updateStrategy: string
  /** The version has ended at the source and is not to change any more. */
  readonly isOver: boolean
}

/** What it means that a record of the source is not here, or not the same. */
export function judge(of: Kind, { what, changedThere, changedHere, fields }: Finding, arrival: Arrival): Verdict {
  const { isLive, pulledUntil } = arrival
  switch (what) {
    case 'unreadable':
      return 'unreadable'
    case 'missing':
      // Only whoever has changed its object here can have taken a member out.
      if (of.kind === 'relations' && isLater(changedHere, arrival)) return 'changed here since'
      return isLive && pulledUntil !== null && changedThere !== null && changedThere >= pulledUntil
        ? 'made there since'
        : 'missing'
    case 'different':
      if (of.kind === 'statistics') return judgeValue(fields, arrival)
      if (changedThere === null || changedHere === null || changedThere === changedHere) return 'differs'
      if (changedHere > changedThere) return 'changed here since'
      return isLive && (pulledUntil === null || changedThere >= pulledUntil) ? 'changed there since' : 'differs'
  }
}

/** Values have no times: what rules of the board do not forbid counts as changed. */
function judgeValue([value]: Finding['fields'], { isLive, board }: Arrival): Verdict {
  if (!board || board.isOver) return 'differs'
  if (board.updateStrategy !== 'better') return isLive ? 'changed there since' : 'changed here since'
  const [here, there] = [Number(value?.here), Number(value?.there)]
  const isBetter = board.order === 'ascending' ? here < there : here > there
  return isBetter ? 'changed here since' : 'differs'
}

/** What it means that something is here that the source does not have. @param since when it can have come into being */
export function judgeOnlyHere(of: Kind, since: string | null, arrival: Arrival): Verdict {
  if (isLater(since, arrival)) return 'made here since'
  // Hosted histories end after some months.
  const isMessage = of.kind !== 'objects' && of.kind !== 'relations'
  return isMessage && arrival.isLive ? 'no longer there' : 'only here'
}

function isLater(time: string | null, { pulledUntil, importedAt }: Arrival): boolean {
  const arrived = pulledUntil ?? importedAt
  return time !== null && arrived !== null && time >= arrived
}
