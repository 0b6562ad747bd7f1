import { describeOrder, shapeOf } from '../where/shape.ts'
import type { Ordering, Where } from '../where/tree.ts'
import type { IndexDefinition } from './index-definition.ts'

/** Shapes that are remembered for an app; the one that was slow longest ago gives way. */
const MAX_SHAPES = 500
/** Indexes that are remembered for a shape: more than these do not help people to understand it. */
const MAX_WANTED = 5

/** A kind of query that was slow: the fields it asks by, without the values. */
export interface SlowQuery {
  readonly className: string
  /** The condition, such as `status = ? and score > ?`; empty where there was none */
  readonly where: string
  /** Such as `-createdAt` */
  readonly order: string
  readonly times: number
  readonly totalMilliseconds: number
  readonly slowestMilliseconds: number
  /** ISO */
  readonly lastAt: string
  /** The indexes that would serve it. */
  readonly wanted: readonly IndexDefinition[]
}

/** Remembers which queries of an app were slow, on this node and since it runs. */
export class SlowQueries {
  /** The first is the one that was slow longest ago. */
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

  /** Those of a class that took the most time together come first. */
  of(className: string, most: number): SlowQuery[] {
    return [...this.#byShape.values()]
      .filter((query) => query.className === className)
      .sort((a, b) => b.totalMilliseconds - a.totalMilliseconds)
      .slice(0, most)
  }
}
