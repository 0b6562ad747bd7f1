import type { Log } from '../log.ts'
import { type EngineMetadata, NO_METADATA } from './engine-metadata.ts'

/** The age at which metadata in use is refreshed, in milliseconds. */
const RENEWED_AT = 20_000
/** The age from which on it is not used any more, and callers wait for fresh metadata. */
const TRUSTED_FOR = 30_000
/** The delay of the next attempt after the engine did not respond. */
const RETRIED_AT = 2000

export interface DiscoveryParts {
  /** Reads the metadata of the engine at a base URL. @throws EngineFailure */
  readonly read: (url: string) => Promise<EngineMetadata>
  readonly log: Log
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number
}

/**
 * Caches the functions and hooks of an engine, and refreshes them only while they are used. An engine that is unavailable keeps
 * its last list, even if its URL has changed: stopping an engine must not disable its checks. An engine that has never responded
 * has none (protocol/cloud-code, Which functions and hooks exist). Once there is a list, a 404 counts as unavailable, because
 * proxies respond so for a sleeping engine. Removing the URL from the settings clears the list.
 */
export class Discovery {
  readonly #read: (url: string) => Promise<EngineMetadata>
  readonly #log: Log
  readonly #now: () => number
  /** The URL of the current engine. */
  #url: string | undefined
  #metadata = NO_METADATA
  #reading: Promise<void> | undefined
  #renewAt = 0
  #trustedUntil = 0
  #away = false

  constructor({ read, log, now = () => performance.now() }: DiscoveryParts) {
    this.#read = read
    this.#log = log
    this.#now = now
  }

  /**
   * Returns the metadata of the engine, synchronously.
   * @param url the currently configured base URL; undefined without an engine
   * @returns undefined while the metadata is being read
   */
  known(url: string | undefined): EngineMetadata | undefined {
    if (url !== this.#url) this.#moveTo(url)
    if (url === undefined) return NO_METADATA
    if (this.#now() >= this.#renewAt) this.#reading ??= this.#renew(url)
    return this.#now() < this.#trustedUntil ? this.#metadata : undefined
  }

  /** Returns the metadata of the engine; waits up to the time limit of the engine. */
  async find(url: string | undefined): Promise<EngineMetadata> {
    const known = this.known(url)
    if (known) return known
    await this.#reading
    return this.#metadata
  }

  /**
   * Reads the metadata of the engine now.
   * @returns the metadata as far as it is known, and `answers`, whether the engine has just responded
   */
  async refresh(url: string | undefined): Promise<{ readonly metadata: EngineMetadata; readonly answers: boolean }> {
    await this.distrust()
    const metadata = await this.find(url)
    return { metadata, answers: url !== undefined && !this.#away }
  }

  /** Whether the engine failed to respond to the last request. */
  get isAway(): boolean {
    return this.#away
  }

  /** Invalidates the metadata, so that it is read again before its next use. */
  async distrust(): Promise<void> {
    // The response to a request in progress may be outdated.
    await this.#reading
    this.#renewAt = 0
    this.#trustedUntil = 0
  }

  #moveTo(url: string | undefined): void {
    this.#url = url
    this.#reading = undefined
    this.#renewAt = 0
    this.#trustedUntil = 0
    if (url === undefined) this.#metadata = NO_METADATA
  }

  async #renew(url: string): Promise<void> {
    const outcome = await this.#read(url).catch((error: Error) => error)
    // Another engine may have been configured meanwhile.
    if (url !== this.#url) return
    const failed = outcome instanceof Error
    if (!failed) this.#metadata = outcome
    const now = this.#now()
    this.#renewAt = now + (failed ? RETRIED_AT : RENEWED_AT)
    this.#trustedUntil = now + TRUSTED_FOR
    this.#reading = undefined
    this.#logChange(failed ? outcome : null)
  }

  /** Logs that the engine is unavailable, or available again: once per change. */
  #logChange(failure: Error | null): void {
    const isAway = failure !== null
    if (isAway === this.#away) return
    this.#away = isAway
    if (failure) this.#log.warn({ error: failure.message }, 'hook discovery failed')
    else this.#log.info({}, 'hook discovery succeeded again')
  }
}
