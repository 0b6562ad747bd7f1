import type { Cluster, Redis } from 'ioredis'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { errors } from '../errors.ts'
import type { Resource } from './capacity.ts'
import type { CapacityShares } from './capacity-shares.ts'
import { KnownKeys, type Rememberer } from './known-keys.ts'

/** How much of something is allowed in a time. */
export interface LimitRule {
  /** What is counted, the same on all nodes: with the app, the kind, who does it, and the time. */
  readonly name: string
  readonly most: number
  readonly seconds: number
  /**
   * Nodes together never allow more, not even for a moment. Each time costs a round trip to Redis, so it is for what costs
   * far more than that.
   */
  readonly exact?: boolean
  /**
   * What it protects, if that is capacity alone: what is beyond the limit is refused only while that is short, and only from
   * principals that use more than their share.
   */
  readonly protects?: Resource
  /** The load that one of what is counted causes, where this limit counts it: 1 is what a limit allows in a second. */
  readonly load?: number
  /** What is allowed, as who is refused is told it: `200 logins in a second from one address`. */
  readonly text: string
}

/** Keys that are remembered for a second, and as many that are remembered for longer. Each takes half a kilobyte. */
const ROOM = 50_000

/** In how many parts a node reports to Redis what it has counted. */
const PARTS = 20

/** For limits below this Redis is asked each time: a twentieth of them is next to nothing. */
const LEAST_PARTED = 100

/** Where nodes count together. */
export interface SharedCounts {
  readonly client: Redis | Cluster
  /** Told what came of each attempt: nothing when it was answered. */
  readonly note: (fault: unknown) => void
}

/**
 * Makes limiters. Each counts in the memory of its node. Where there is a Redis, a node reports to it whenever another
 * twentieth of a limit has been used up, and nobody waits for that: from when all nodes together have used it up each of
 * them refuses. They may so allow a twentieth too much each. Of small limits, and of exact ones, Redis is asked each time.
 * While it is away each node counts for itself.
 */
export class Limiters {
  readonly #shared: SharedCounts | null
  readonly #brief: KnownKeys
  readonly #long: KnownKeys
  readonly #shares: CapacityShares | null

  /**
   * @param shared null where there is one node, or none hears of the others
   * @param room see `ROOM`
   * @param shares null: each limit always applies
   */
  constructor(shared: SharedCounts | null = null, room = ROOM, shares: CapacityShares | null = null) {
    this.#shared = shared
    this.#shares = shares
    this.#brief = new KnownKeys(room)
    this.#long = new KnownKeys(room)
  }

  /** To be called when messages to chat rooms from an address wait for too long. @param who as `addressKey` gives it */
  noteLateDeliveries(who: string): void {
    this.#shares?.noteLateDeliveries(who)
  }

  make(rule: LimitRule): Limiter {
    // Apart: there are so many keys of a second that those of an hour would soon be forgotten for them.
    return new Limiter(rule, rule.seconds > 1 ? this.#long : this.#brief, this.#shared, this.#shares)
  }
}

/** Counts what many do, each for itself. */
export class Limiter implements Rememberer {
  readonly rule: LimitRule
  readonly #keys: KnownKeys
  readonly #here: RateLimiterMemory
  readonly #shared: SharedCounts | null
  readonly #everywhere: RateLimiterRedis | null
  /** So much is counted here before it is reported. */
  readonly #part: number
  readonly #shares: CapacityShares | null

  constructor(rule: LimitRule, keys: KnownKeys, shared: SharedCounts | null, shares: CapacityShares | null = null) {
    const { name, most, seconds, exact } = rule
    const limit = { points: most, duration: seconds }
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
    this.#part = exact || most < LEAST_PARTED ? 1 : Math.floor(most / PARTS)
  }

  /**
   * Counts so much more; what is refused counts too.
   * @throws ApiError 429 beyond the limit
   */
  take(who: string, amount = 1): Promise<void> {
    if (this.rule.load !== undefined) this.#shares?.note(who, amount * this.rule.load)
    // Few promises: this is in the way of every request.
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

  /** @throws ApiError 429, unless the limit need not apply now */
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

  /** @throws ApiError 429 when all nodes together are beyond the limit */
  async #report(everywhere: RateLimiterRedis, who: string, amount: number): Promise<void> {
    try {
      const state = await everywhere.consume(who, amount)
      this.#shared!.note(null)
      if (state.remainingPoints === 0 && !this.#mayExceed(who)) await this.#refuseHere(who, state)
    } catch (thrown) {
      // What is done elsewhere is not known: this node counts on by itself.
      if (!(thrown instanceof RateLimiterRes)) return this.#shared!.note(thrown)
      if (this.#mayExceed(who)) return
      await this.#refuseHere(who, thrown)
      throw this.#refusal(thrown)
    }
  }

  /** From now on nobody is asked, until the time is over. */
  async #refuseHere(who: string, { msBeforeNext }: RateLimiterRes): Promise<void> {
    this.#keys.add(this, who)
    await this.#here.block(who, msBeforeNext / 1000)
  }

  #refusal({ msBeforeNext }: RateLimiterRes) {
    return errors.tooManyRequests(`The limit is ${this.rule.text}.`, Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }
}
