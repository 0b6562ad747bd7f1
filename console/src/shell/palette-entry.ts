import type { ReactNode } from 'react'
import type { Findable } from './found.ts'

/** What the palette offers. */
export interface Entry extends Findable {
  /** Unlike those of all others */
  readonly key: string
  readonly icon?: ReactNode
  act(): void
}
