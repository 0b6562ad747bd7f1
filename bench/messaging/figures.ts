import type { ConnectionFigures } from './connections.ts'
import type { HistoryFigures } from './history.ts'
import type { StormFigures } from './logins.ts'
import type { PairFigures } from './pairs.ts'
import type { RoomFigures } from './rooms.ts'

/** All that a run has measured; what `--json` writes. A part that was left out is absent. */
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
