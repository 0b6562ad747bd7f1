import type { Bar } from '../bars.ts'
import type { Cleanup } from '../cleanup.ts'
import type { SocialOptions } from './options.ts'

/** A part of the benchmark: starts what it needs, measures, and returns its report. */
export type Part = (context: PartContext) => Promise<PartReport>

/** The environment of a part, which registers everything it starts with `cleanup`. */
export interface PartContext {
  /** The project folder, with a build in `dist`. */
  readonly root: string
  readonly options: SocialOptions
  readonly cleanup: Cleanup
}

export interface PartReport {
  /** The data for `--json`. */
  readonly figures: object
  /** Tables as text (`messaging/table.ts`). */
  readonly sections: readonly string[]
  /** The targets of Homeport. */
  readonly bars: readonly Bar[]
}
