import { describeOrder, shapeOf } from '../where/shape.ts'
import type { Ordering, Where } from '../where/tree.ts'
import type { IndexDefinition } from './index-definition.ts'

/** Maximum query shapes kept for an app; the one that was slow longest ago is evicted first. */
const MAX_SHAPES = 500
/** Maximum indexes kept for a shape: more do not help to understand it. */
const MAX_WANTED = 5

/** Statistics of a slow query shape: the fields it queries by, without the values. */
export interface SlowQuery {
  readonly className: string
  /** The condition, such as `status = ? and score > ?`; empty when there is none. */
  readonly where: string
  /** Such as `-createdAt`. */
  readonly order: string
  readonly times: number
  readonly totalMilliseconds: number
  readonly slowestMilliseconds: number
  /** ISO 8601. */
  readonly lastAt: string
  /** The indexes that would serve it. */
  readonly wanted: readonly IndexDefinition[]
}

/** Records the slow queries of an app on this node since it started. */
export class SlowQueries {
  /** The first entry is the one that was slow longest ago. */
  readonly #byShape = new Map<string, SlowQuery>()

  note(
    { name, tableName }: { readonly name: string; readonly tableName: string },
    where: Where | null,
    order: readonly Ordering[],
    wanted: readonly IndexDefinition[],
    milliseconds: number,
  ): void {
    const shape = { where: where ? shapeOf(where) : '', order: describeOrder(order) }
    const key = `${tableName}\n${shape.where}\n${shape.order}`
    const before = this.#byShape.get(key)
    this.#byShape.delete(key)
    this.#byShape.set(key, {
      className: name,
      ...shape,
      times: (before?.times ?? 0) + 1,
      totalMilliseconds: (before?.totalMilliseconds ?? 0) + milliseconds,
      slowestMilliseconds: Math.max(before?.slowestMilliseconds ?? 0, milliseconds),
      lastAt: new Date().toISOString(),
      wanted: wanted.slice(0, MAX_WANTED),
    })
    if (this.#byShape.size > MAX_SHAPES) this.#byShape.delete(this.#byShape.keys().next().value!)
  }

  /** Returns the slow queries of a class, those with the most total time first. */
  of(className: string, max: number): SlowQuery[] {
    return [...this.#byShape.values()]
      .filter((query) => query.className === className)
      .sort((a, b) => b.totalMilliseconds - a.totalMilliseconds)
      .slice(0, max)
  }
}
