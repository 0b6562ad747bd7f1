import { setTimeout as sleep } from 'node:timers/promises'

/** Responses to challenges that other nodes need too. */
export interface SharedResponses {
  add(key: string, response: string): Promise<void>
  remove(key: string): Promise<void>
  all(): Promise<ReadonlyMap<string, string>>
}

/** Minimum milliseconds between two reads of the shared responses: requests for unknown tokens cost at most this rate of reads. */
const READ_INTERVAL_MS = 1000

/**
 * The responses that prove to a certificate authority that this installation controls a host name, while an order is open. Keys
 * are tokens of HTTP-01, and `tls:` with a host name for TLS-ALPN-01, whose response is a certificate and key in PEM.
 */
export class ChallengeResponses {
  readonly #own = new Map<string, string>()
  readonly #shared: SharedResponses | null
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<ReadonlyMap<string, string>> | null = null

  /** @param shared null when there are no other nodes */
  constructor(shared: SharedResponses | null) {
    this.#shared = shared
  }

  /** Whether an authority may ask this node: otherwise connections need not be examined. */
  get mayBeAsked(): boolean {
    return this.#shared !== null || this.#own.size > 0
  }

  async add(key: string, response: string): Promise<void> {
    this.#own.set(key, response)
    await this.#shared?.add(key, response)
  }

  async remove(key: string): Promise<void> {
    this.#own.delete(key)
    await this.#shared?.remove(key)
  }

  /** Returns the response to a challenge, also of another node; null when there is none. */
  async find(key: string): Promise<string | null> {
    const own = this.#own.get(key)
    if (own !== undefined || this.#shared === null) return own ?? null
    return (await this.#readShared(this.#shared)).get(key) ?? null
  }

  /** Reads the shared responses, once for all callers that wait. */
  #readShared(shared: SharedResponses): Promise<ReadonlyMap<string, string>> {
    this.#reading ??= this.#readLater(shared)
    return this.#reading
  }

  async #readLater(shared: SharedResponses): Promise<ReadonlyMap<string, string>> {
    const wait = this.#readAt + READ_INTERVAL_MS - performance.now()
    // Also waits when it could read at once, because `#reading` is set when this function has returned.
    await sleep(Math.max(0, wait))
    this.#reading = null
    this.#readAt = performance.now()
    return shared.all()
  }
}
