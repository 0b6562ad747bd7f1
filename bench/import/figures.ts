import { median } from '../statistics.ts'
import type { Memory } from './memory.ts'
import type { Imported } from './run-import.ts'

/** A kind of records: what was imported, and the rows of COPY beside, round by round. */
export interface RecordFigure {
  readonly name: 'objects' | 'messages'
  readonly records: number
  /** Bytes of the file, and of what is in it. */
  readonly bytes: number
  readonly unpacked: number
  readonly rounds: readonly { readonly imported: Imported; readonly copied: number }[]
}

/** Milliseconds that a query of the neighbour takes, round by round. */
export interface NeighbourFigure {
  readonly without: readonly { readonly p50: number; readonly p99: number }[]
  /** Beside it what the import took meanwhile, in records a second. */
  readonly during: readonly { readonly p50: number; readonly p99: number; readonly perSecond: number }[]
}

/** All that a run has measured; what `--json` writes. A part that was left out is absent. */
export interface ImportFigures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
  }
  readonly options: { readonly rounds: number; readonly packed: boolean }
  readonly records: readonly RecordFigure[]
  readonly neighbour?: NeighbourFigure
}

/** Records a second of an import, the median of the rounds. */
export function rateOf({ rounds }: RecordFigure): number {
  return median(rounds.map(({ imported }) => imported.perSecond))
}

/** The rate as a share of that of COPY beside, the median of the rounds. */
export function shareOf({ rounds }: RecordFigure): number {
  return median(rounds.map(({ imported, copied }) => imported.perSecond / copied))
}

/** Bytes that processes had at most in any round. */
export function memoryOf({ rounds }: RecordFigure): Memory {
  const most: Record<string, number> = {}
  for (const { imported } of rounds)
    for (const [name, bytes] of Object.entries(imported.memory)) most[name] = Math.max(most[name] ?? 0, bytes)
  return most
}

/** How many times as long a query takes during an import, the median of the rounds. */
export function slowdownOf({ without, during }: NeighbourFigure): number {
  return median(during.map(({ p99 }, round) => p99 / without[round]!.p99))
}
