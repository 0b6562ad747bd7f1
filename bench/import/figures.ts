import { median } from '../statistics.ts'
import type { Memory } from './memory.ts'
import type { Imported } from './run-import.ts'

/** The figures of one kind of record: imports and COPY, round by round. */
export interface RecordFigure {
  readonly name: 'objects' | 'messages'
  readonly records: number
  /** Bytes of the file, and of its uncompressed content. */
  readonly bytes: number
  readonly unpacked: number
  readonly rounds: readonly { readonly imported: Imported; readonly copied: number }[]
}

/** Query latency of the neighbor in milliseconds, round by round. */
export interface NeighbourFigure {
  readonly without: readonly { readonly p50: number; readonly p99: number }[]
  /** Includes the rate of the concurrent import, in records per second. */
  readonly during: readonly { readonly p50: number; readonly p99: number; readonly perSecond: number }[]
}

/** All figures of a run, as written by `--json`. Omitted parts are absent. */
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

/** Returns the import rate in records per second, the median of the rounds. */
export function rateOf({ rounds }: RecordFigure): number {
  return median(rounds.map(({ imported }) => imported.perSecond))
}

/** Returns the import rate relative to that of COPY, the median of the rounds. */
export function shareOf({ rounds }: RecordFigure): number {
  return median(rounds.map(({ imported, copied }) => imported.perSecond / copied))
}

/** Returns the maximum memory of processes in any round, in bytes. */
export function memoryOf({ rounds }: RecordFigure): Memory {
  const max: Record<string, number> = {}
  for (const { imported } of rounds)
    for (const [name, bytes] of Object.entries(imported.memory)) max[name] = Math.max(max[name] ?? 0, bytes)
  return max
}

/** Returns the latency ratio of queries during an import, the median of the rounds. */
export function slowdownOf({ without, during }: NeighbourFigure): number {
  return median(during.map(({ p99 }, round) => p99 / without[round]!.p99))
}
