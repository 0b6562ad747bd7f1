import type { JsonObject } from '../../values/json.ts'

/** A `select` of CQL, in the terms of a class query. */
export interface Select {
  readonly kind: 'select'
  readonly className: string
  readonly where: JsonObject
  /** The fields that are asked for; none means all. */
  readonly keys: readonly string[]
  readonly include: readonly string[]
  /** Fields, with a minus in front of those in descending order. */
  readonly order: readonly string[]
  /** null where none is said */
  readonly limit: number | null
  readonly skip: number
  /** `count(…)` is asked for, and perhaps nothing else. */
  readonly count: boolean
  readonly objects: boolean
}
