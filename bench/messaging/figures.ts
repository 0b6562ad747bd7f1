import type { ConnectionFigures } from './connections.ts'
import type { HistoryFigures } from './history.ts'
import type { StormFigures } from './logins.ts'
import type { PairFigures } from './pairs.ts'
import type { RoomFigures } from './rooms.ts'

/** All figures of a run, as written by `--json`. Omitted parts are absent. */
export interface MessagingFigures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
  }
  readonly options: { readonly rounds: number; readonly seconds: number; readonly sharedDatabase: boolean }
  readonly rooms?: RoomFigures
  readonly pairs?: PairFigures
  readonly connections?: ConnectionFigures
  readonly history?: HistoryFigures
  readonly logins?: StormFigures
}
