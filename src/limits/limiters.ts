import type { Cluster, Redis } from 'ioredis'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { errors } from '../errors.ts'
import type { Resource } from './capacity.ts'
import type { CapacityShares } from './capacity-shares.ts'
import { type KeyedStore, KnownKeys } from './known-keys.ts'

/** A maximum of something per period. */
export interface LimitRule {
  /** Identifies the counts, equally on all nodes: the app, the kind, the scope and the period. */
  readonly name: string
  readonly max: number
  readonly seconds: number
  /**
   * Whether all nodes together must never exceed the limit. Each use then needs a round trip to Redis, so this is for actions
   * that cost far more.
   */
  readonly exact?: boolean
  /**
   * The resource it protects, if it only protects capacity: above the limit, only principals that use more than their share are
   * rejected, and only while the resource is short.
   */
  readonly protects?: Resource
  /** The load of one counted unit, where this limit measures load: 1 is what a limit allows in a second. */
  readonly load?: number
  /** The limit as shown in errors: `200 logins in a second from one address`. */
  readonly text: string
}

/** Maximum keys kept for periods of a second, and for longer periods. Each takes half a kilobyte. */
const ROOM = 50_000

/** The number of parts of a limit after each of which a node reports to Redis. */
const PARTS = 20

/** Limits below this query Redis each time: a twentieth of them is almost nothing. */
const MIN_SHARED_LIMIT = 100

/** The Redis in which nodes count together. */
export interface SharedCounts {
  readonly client: Redis | Cluster
  /** Called with the outcome of each attempt: null when Redis responded. */
  readonly note: (fault: unknown) => void
}

/**
 * Creates limiters. Each counts in the memory of its node. With Redis, a node reports each further twentieth of a limit, without
 * delaying requests; once all nodes together have used up the limit, each of them rejects. Each node may thus exceed the limit by
 * a twentieth. For small limits and exact ones, Redis is queried each time. While it is unavailable, each node counts for itself.
 */
export class Limiters {
  readonly #shared: SharedCounts | null
  readonly #brief: KnownKeys
  readonly #long: KnownKeys
  readonly #shares: CapacityShares | null

  /**
   * @param shared null for a single node, or for nodes without Redis
   * @param room see `ROOM`
   * @param shares null: each limit always applies
   */
  constructor(shared: SharedCounts | null = null, room = ROOM, shares: CapacityShares | null = null) {
    this.#shared = shared
    this.#shares = shares
    this.#brief = new KnownKeys(room)
    this.#long = new KnownKeys(room)
  }

  /** Records that messages to chat rooms from an address wait too long. @param who as returned by `addressKey` */
  noteLateDeliveries(who: string): void {
    this.#shares?.noteLateDeliveries(who)
  }

  make(rule: LimitRule): Limiter {
    // Kept separately: keys of a second are so many that they would soon evict those of an hour.
    return new Limiter(rule, rule.seconds > 1 ? this.#long : this.#brief, this.#shared, this.#shares)
  }
}

/** Counts by key against one limit. */
export class Limiter implements KeyedStore {
  readonly rule: LimitRule
  readonly #keys: KnownKeys
  readonly #here: RateLimiterMemory
  readonly #shared: SharedCounts | null
  readonly #everywhere: RateLimiterRedis | null
  /** The amount counted here before it is reported. */
  readonly #part: number
  readonly #shares: CapacityShares | null

  constructor(rule: LimitRule, keys: KnownKeys, shared: SharedCounts | null, shares: CapacityShares | null = null) {
    const { name, max, seconds, exact } = rule
    const limit = { points: max, duration: seconds }
    this.rule = rule
    this.#keys = keys
    this.#here = new RateLimiterMemory({ ...limit, keyPrefix: '' })
    this.#shared = shared
    this.#shares = shares
    this.#everywhere =
      shared &&
      new RateLimiterRedis({
        ...limit,
        keyPrefix: `homeport:limits:${name}`,
        storeClient: shared.client,
        rejectIfRedisNotReady: true,
      })
    this.#part = exact || max < MIN_SHARED_LIMIT ? 1 : Math.floor(max / PARTS)
  }

  /**
   * Counts an amount; rejected amounts count too.
   * @throws ApiError 429 above the limit
   */
  take(who: string, amount = 1): Promise<void> {
    if (this.rule.load !== undefined) this.#shares?.note(who, amount * this.rule.load)
    // Uses few promises, because every request passes here.
    return this.#here.consume(who, amount).then(
      (state) => this.#allow(who, amount, state),
      (thrown) => this.#refuse(who, amount, thrown),
    )
  }

  forget(who: string): void {
    void this.#here.delete(who)
  }

  #allow(who: string, amount: number, state: RateLimiterRes): Promise<void> | void {
    if (state.isFirstInDuration) this.#keys.add(this, who)
    if (!this.#everywhere) return
    const count = state.consumedPoints
    const parts = Math.floor(count / this.#part) - Math.floor((count - amount) / this.#part)
    if (parts === 0) return
    const reported = this.#report(this.#everywhere, who, parts * this.#part)
    if (this.#part === 1) return reported
    reported.catch(() => {})
  }

  /** Rejects an amount. @throws ApiError 429, unless the limit does not apply now */
  #refuse(who: string, amount: number, thrown: unknown): void {
    if (!(thrown instanceof RateLimiterRes)) throw thrown
    if (thrown.isFirstInDuration) this.#keys.add(this, who)
    if (this.#mayExceed(who)) return
    this.#noteRefused(amount)
    throw this.#refusal(thrown)
  }

  #mayExceed(who: string): boolean {
    const { protects } = this.rule
    return protects !== undefined && this.#shares?.mayExceed(who, protects) === true
  }

  #noteRefused(amount: number): void {
    if (this.rule.load !== undefined) this.#shares?.noteRefused(amount * this.rule.load)
  }

  /** Reports an amount to Redis. @throws ApiError 429 when all nodes together exceed the limit */
  async #report(everywhere: RateLimiterRedis, who: string, amount: number): Promise<void> {
    try {
      const state = await everywhere.consume(who, amount)
      this.#shared!.note(null)
      if (state.remainingPoints === 0 && !this.#mayExceed(who)) await this.#refuseHere(who, state)
    } catch (thrown) {
      // The counts of other nodes are unknown, so this node counts alone.
      if (!(thrown instanceof RateLimiterRes)) return this.#shared!.note(thrown)
      if (this.#mayExceed(who)) return
      await this.#refuseHere(who, thrown)
      throw this.#refusal(thrown)
    }
  }

  /** Rejects without querying Redis until the period ends. */
  async #refuseHere(who: string, { msBeforeNext }: RateLimiterRes): Promise<void> {
    this.#keys.add(this, who)
    await this.#here.block(who, msBeforeNext / 1000)
  }

  #refusal({ msBeforeNext }: RateLimiterRes) {
    return errors.tooManyRequests(`The limit is ${this.rule.text}.`, Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }
}
