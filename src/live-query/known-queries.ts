import { ConditionIndex } from './condition-index.ts'
import type { LiveQuery } from './live-query.ts'

/** The live queries of an app on all nodes, as known to this node. */
export class KnownQueries {
  readonly #classes = new Map<string, ConditionIndex>()
  /** The queries of each class that has any. */
  readonly classes: ReadonlyMap<string, ConditionIndex> = this.#classes
  readonly #subscribers = new Map<string, ReadonlyMap<string, LiveQuery>>()
  readonly #users = new Map<string, Set<LiveQuery>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get subscriberIds(): Iterable<string> {
    return this.#subscribers.keys()
  }

  /** Returns the queries of a subscriber, by their ids. */
  ofSubscriber(subscriberId: string): ReadonlyMap<string, LiveQuery> {
    return this.#subscribers.get(subscriberId) ?? NONE
  }

  /** Replaces the queries of a subscriber. Unchanged queries keep their objects. */
  set(subscriberId: string, queries: readonly LiveQuery[]): void {
    const before = this.ofSubscriber(subscriberId)
    const after = new Map(queries.map((query) => [query.id, unchanged(before.get(query.id), query)]))
    for (const [id, query] of before) if (after.get(id) !== query) this.#remove(query)
    for (const [id, query] of after) if (before.get(id) !== query) this.#add(query)
    if (after.size > 0) this.#subscribers.set(subscriberId, after)
    else this.#subscribers.delete(subscriberId)
  }

  /** Removes the queries of a user. @returns the subscribers that had them */
  dropUser(userId: string): readonly string[] {
    const subscriberIds = [...new Set([...(this.#users.get(userId) ?? [])].map(({ subscriberId }) => subscriberId))]
    for (const id of subscriberIds) {
      const others = [...this.ofSubscriber(id).values()].filter((query) => query.userId !== userId)
      this.set(id, others)
    }
    return subscriberIds
  }

  #add(query: LiveQuery): void {
    const index = this.#classes.get(query.className) ?? new ConditionIndex()
    this.#classes.set(query.className, index)
    index.add(query)
    if (query.userId !== null) this.#users.set(query.userId, (this.#users.get(query.userId) ?? new Set()).add(query))
    this.#size++
  }

  #remove(query: LiveQuery): void {
    const index = this.#classes.get(query.className)!
    index.remove(query)
    if (index.size === 0) this.#classes.delete(query.className)
    const ofUser = query.userId === null ? undefined : this.#users.get(query.userId)
    ofUser?.delete(query)
    if (ofUser?.size === 0) this.#users.delete(query.userId!)
    this.#size--
  }
}

const NONE: ReadonlyMap<string, LiveQuery> = new Map()

/** Returns the previous object of an unchanged query. The id covers everything except the proof of its sender. */
function unchanged(before: LiveQuery | undefined, query: LiveQuery): LiveQuery {
  return before?.proof === query.proof ? before : query
}
