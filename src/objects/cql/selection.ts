import type { JsonObject } from '../../values/json.ts'

/** A `select` of CQL, in the terms of a class query. */
export interface Select {
  readonly kind: 'select'
  readonly className: string
  readonly where: JsonObject
  /** The selected fields; empty for all. */
  readonly keys: readonly string[]
  readonly include: readonly string[]
  /** Fields, with a minus before descending ones. */
  readonly order: readonly string[]
  /** null when omitted. */
  readonly limit: number | null
  readonly skip: number
  /** Whether `count(…)` is selected, possibly without objects. */
  readonly count: boolean
  readonly objects: boolean
}
