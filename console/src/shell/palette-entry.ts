import type { ReactNode } from 'react'
import type { Findable } from './found.ts'

/** An entry of the palette. */
export interface Entry extends Findable {
  /** Unique among all entries */
  readonly key: string
  readonly icon?: ReactNode
  act(): void
}
