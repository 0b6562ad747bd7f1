import type { StoredObject } from '../objects/where/matches.ts'
import type { LiveQuery } from './live-query.ts'
import { keysOf, type QueryKey, valuesOf } from './query-key.ts'

type Bucket = Set<LiveQuery>

/**
 * An index of the live queries of one class by the values of objects. Each query is indexed by the values of one of its
 * equalities; queries without equalities match every object. So the cost of a write depends on the number of queries that it may
 * affect.
 */
export class ConditionIndex {
  readonly #keyed = new Map<string, Map<string, Bucket>>()
  readonly #others: Bucket = new Set()
  readonly #keys = new Map<LiveQuery, QueryKey | null>()

  get size(): number {
    return this.#keys.size
  }

  add(query: LiveQuery): void {
    const key = this.#bestKey(query)
    this.#keys.set(query, key)
    if (key === null) this.#others.add(query)
    else for (const value of key.values) this.#bucket(key.field, value).add(query)
  }

  remove(query: LiveQuery): void {
    const key = this.#keys.get(query)
    this.#keys.delete(query)
    this.#others.delete(query)
    for (const value of key?.values ?? []) this.#removeFrom(key!.field, value, query)
  }

  /** Yields all queries whose conditions one of the objects may meet, each once, in no particular order. */
  *candidates(...objects: readonly (StoredObject | null)[]): Iterable<LiveQuery> {
    yield* this.#others
    const found = new Set<LiveQuery>()
    for (const object of objects) {
      if (object === null) continue
      for (const query of this.#foundBy(object)) {
        if (found.has(query)) continue
        found.add(query)
        yield query
      }
    }
  }

  *#foundBy(object: StoredObject): Iterable<LiveQuery> {
    for (const field of ['objectId', ...Object.keys(object.data)]) {
      const buckets = this.#keyed.get(field)
      if (!buckets) continue
      for (const value of valuesOf(object, field)) yield* buckets.get(value) ?? []
    }
  }

  /** Returns the most selective of several equalities: the one that the fewest other queries have. */
  #bestKey({ where }: LiveQuery): QueryKey | null {
    let best: QueryKey | null = null
    let fewest = Number.POSITIVE_INFINITY
    for (const key of keysOf(where)) {
      const others = key.values.reduce((sum, value) => sum + (this.#keyed.get(key.field)?.get(value)?.size ?? 0), 0)
      // Booleans and small numbers are less selective than texts and pointers, whichever query was added first.
      const rank = (others + 1) * Math.max(1, 16 / key.values[0]!.length)
      if (rank >= fewest) continue
      best = key
      fewest = rank
    }
    return best
  }

  #bucket(field: string, value: string): Bucket {
    const buckets = this.#keyed.get(field) ?? new Map<string, Bucket>()
    this.#keyed.set(field, buckets)
    const bucket = buckets.get(value) ?? new Set()
    buckets.set(value, bucket)
    return bucket
  }

  #removeFrom(field: string, value: string, query: LiveQuery): void {
    const buckets = this.#keyed.get(field)
    const bucket = buckets?.get(value)
    bucket?.delete(query)
    if (bucket?.size === 0) buckets!.delete(value)
    if (buckets?.size === 0) this.#keyed.delete(field)
  }
}
