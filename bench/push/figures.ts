import type { CrashFigures } from './crash.ts'
import type { ManyFigure } from './many.ts'
import type { OnlineFigure } from './online.ts'
import type { ProviderName } from './options.ts'

/** All figures of a run, as written by `--json`. Omitted parts are absent. */
export interface PushFigures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
  }
  readonly options: { readonly provider: ProviderName; readonly devices: number; readonly connections: number }
  readonly many?: readonly ManyFigure[]
  readonly online?: readonly OnlineFigure[]
  readonly crash?: CrashFigures
}
