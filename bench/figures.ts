import type { LoginFigures } from './logins.ts'
import type { MemoryFigures } from './memory.ts'
import type { CaseFigures } from './rounds.ts'
import type { SizeFigures } from './size.ts'
import type { StartFigures } from './start-time.ts'

/** All figures of a run, as written by `--json`. Omitted parts are absent. */
export interface Figures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
    readonly postgres: string
    readonly parseServer: string | null
  }
  readonly options: { readonly rounds: number; readonly seconds: number; readonly connections: number }
  readonly cases?: readonly CaseFigures[]
  readonly size?: SizeFigures
  readonly start?: StartFigures
  readonly memory?: MemoryFigures
  readonly logins?: LoginFigures
}
