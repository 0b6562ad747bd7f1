import type { Bar } from '../bars.ts'
import type { Cleanup } from '../cleanup.ts'
import type { SocialOptions } from './options.ts'

/** A part of the benchmark: it starts what it needs, measures, and says what came of it. */
export type Part = (place: PartPlace) => Promise<PartReport>

/** Where a part runs. What it starts, it registers with `cleanup`. */
export interface PartPlace {
  /** The folder of the project, with a build in `dist`. */
  readonly root: string
  readonly options: SocialOptions
  readonly cleanup: Cleanup
}

export interface PartReport {
  /** What `--json` writes. */
  readonly figures: object
  /** Tables for a person to read (`messaging/table.ts`). */
  readonly sections: readonly string[]
  /** What Homeport promises. */
  readonly bars: readonly Bar[]
}
