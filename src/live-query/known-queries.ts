import { ConditionIndex } from './condition-index.ts'
import type { LiveQuery } from './live-query.ts'

/** The live queries of an app, on all nodes, as this node knows them. */
export class KnownQueries {
  readonly #classes = new Map<string, ConditionIndex>()
  readonly #subscribers = new Map<string, ReadonlyMap<string, LiveQuery>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get subscriberIds(): Iterable<string> {
    return this.#subscribers.keys()
  }

  /** The queries over a class; undefined when there are none. */
  ofClass(className: string): ConditionIndex | undefined {
    return this.#classes.get(className)
  }

  /** The queries of a subscriber, by their ids. */
  ofSubscriber(subscriberId: string): ReadonlyMap<string, LiveQuery> {
    return this.#subscribers.get(subscriberId) ?? NONE
  }

  /** Makes these the queries of a subscriber. Those that it has already stay as they are. */
  set(subscriberId: string, queries: readonly LiveQuery[]): void {
    const before = this.ofSubscriber(subscriberId)
    const after = new Map(queries.map((query) => [query.id, before.get(query.id) ?? query]))
    for (const [id, query] of before) if (!after.has(id)) this.#remove(query)
    for (const [id, query] of after) if (!before.has(id)) this.#add(query)
    if (after.size > 0) this.#subscribers.set(subscriberId, after)
    else this.#subscribers.delete(subscriberId)
  }

  #add(query: LiveQuery): void {
    const index = this.#classes.get(query.className) ?? new ConditionIndex()
    this.#classes.set(query.className, index)
    index.add(query)
    this.#size++
  }

  #remove(query: LiveQuery): void {
    const index = this.#classes.get(query.className)!
    index.remove(query)
    if (index.size === 0) this.#classes.delete(query.className)
    this.#size--
  }
}

const NONE: ReadonlyMap<string, LiveQuery> = new Map()
