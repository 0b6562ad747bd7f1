import type { Cluster, Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { errors } from '../errors.ts'
import type { Capacity } from './capacity.ts'
import { CapacityShares } from './capacity-shares.ts'
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
   * It protects capacity alone: what is beyond it is refused only while capacity is short, and from those who use more of it
   * than all others together.
   */
  readonly protectsCapacity?: boolean
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
  readonly #capacity: Capacity | null

  /**
   * @param shared null where there is one node, or none hears of the others
   * @param room see `ROOM`
   * @param capacity null: each limit always applies
   */
  constructor(shared: SharedCounts | null = null, room = ROOM, capacity: Capacity | null = null) {
    this.#shared = shared
    this.#capacity = capacity
    this.#brief = new KnownKeys(room)
    this.#long = new KnownKeys(room)
  }

  make(rule: LimitRule): Limiter {
    // Apart: there are so many keys of a second that those of an hour would soon be forgotten for them.
    const shares = rule.protectsCapacity && this.#capacity ? new CapacityShares(this.#capacity) : null
    return new Limiter(rule, rule.seconds > 1 ? this.#long : this.#brief, this.#shared, shares)
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
    this.#shares?.note(who, amount)
    // Few promises: this is in the way of every request.
    return this.#here.consume(who, amount).then(
      (state) => this.#allow(who, amount, state),
      (thrown) => this.#refuse(who, thrown),
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
  #refuse(who: string, thrown: unknown): void {
    if (!(thrown instanceof RateLimiterRes)) throw thrown
    if (thrown.isFirstInDuration) this.#keys.add(this, who)
    if (this.#shares?.mayExceed(who, thrown.consumedPoints)) return
    throw this.#refusal(thrown)
  }

  /** @throws ApiError 429 when all nodes together are beyond the limit */
  async #report(everywhere: RateLimiterRedis, who: string, amount: number): Promise<void> {
    try {
      const state = await everywhere.consume(who, amount)
      this.#shared!.note(null)
      if (state.remainingPoints === 0 && !this.#shares?.mayExceed(who, state.consumedPoints))
        await this.#refuseHere(who, state)
    } catch (thrown) {
      // What is done elsewhere is not known: this node counts on by itself.
      if (!(thrown instanceof RateLimiterRes)) return this.#shared!.note(thrown)
      if (this.#shares?.mayExceed(who, thrown.consumedPoints)) return
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
