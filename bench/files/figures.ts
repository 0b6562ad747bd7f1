import { median } from '../statistics.ts'
import type { ContestantName } from './contestants/contestant.ts'
import type { MemoryFigure } from './memory.ts'
import type { PictureFigures } from './pictures.ts'
import type { TransferFigure, Transferred } from './transfers.ts'

/** All figures of a run, as written by `--json`. Omitted parts are absent. */
export interface FileFigures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
    /** null: not installed */
    readonly nginx: string | null
    readonly parseServer: string | null
  }
  readonly options: { readonly rounds: number; readonly seconds: number }
  readonly transfers?: readonly TransferFigure[]
  readonly memory?: readonly MemoryFigure[]
  readonly pictures?: PictureFigures
}

/** Returns the median over the rounds; null without any. */
export function typical(rounds: readonly Transferred[] | undefined, figure: keyof Transferred): number | null {
  const known = (rounds ?? []).flatMap((round) => round[figure] ?? [])
  return known.length === 0 ? null : median(known)
}

/** Returns Homeport's speed relative to `other`: the median of the ratios of each round. null without `other` */
export function ratioTo(other: ContestantName, { rounds }: TransferFigure): number | null {
  const [ours, theirs] = [rounds.homeport, rounds[other]]
  return ours && theirs ? median(ours.map(({ rate }, index) => rate / theirs[index]!.rate)) : null
}
