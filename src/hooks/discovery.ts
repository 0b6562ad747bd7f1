import type { Log } from '../log.ts'
import { type EngineMetadata, NO_METADATA } from './engine-metadata.ts'

/** Metadata in use is asked for anew at this age, in milliseconds. */
const RENEWED_AT = 20_000
/** At this age it is no longer relied on: whoever needs it waits for the new one. */
const TRUSTED_FOR = 30_000
/** When the engine did not answer, it is asked again this soon. */
const RETRIED_AT = 2000

export interface DiscoveryParts {
  /** Asks the engine at a base URL. @throws EngineFailure */
  readonly read: (url: string) => Promise<EngineMetadata>
  readonly log: Log
  /** milliseconds */
  readonly now?: () => number
}

/**
 * What an engine has, as it last said, asked for only while somebody wants to know. An engine that is away keeps its last
 * list, also when its URL has changed: a stopped engine must not switch off what it checks. One that has never said
 * anything has nothing (protocol/cloud-code, Which functions and hooks exist). A 404 counts as being away once there is
 * a list: proxies answer so for an engine that sleeps. To be rid of a list, the URL is taken out of the settings.
 */
export class Discovery {
  readonly #read: (url: string) => Promise<EngineMetadata>
  readonly #log: Log
  readonly #now: () => number
  /** The engine that is asked. */
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
   * What the engine has, without waiting.
   * @param url its base URL as it is set now; undefined where there is no engine
   * @returns undefined while that is being found out
   */
  known(url: string | undefined): EngineMetadata | undefined {
    if (url !== this.#url) this.#moveTo(url)
    if (url === undefined) return NO_METADATA
    if (this.#now() >= this.#renewAt) this.#reading ??= this.#renew(url)
    return this.#now() < this.#trustedUntil ? this.#metadata : undefined
  }

  /** What the engine has. Waits for it as long as the engine may take to say so. */
  async find(url: string | undefined): Promise<EngineMetadata> {
    const known = this.known(url)
    if (known) return known
    await this.#reading
    return this.#metadata
  }

  /**
   * Asks the engine now, whatever is known.
   * @returns what it has, as far as is known; `answers` when it said so now
   */
  async refresh(url: string | undefined): Promise<{ readonly metadata: EngineMetadata; readonly answers: boolean }> {
    await this.distrust()
    const metadata = await this.find(url)
    return { metadata, answers: url !== undefined && !this.#away }
  }

  /** Whether it did not say so when it was asked last. */
  get isAway(): boolean {
    return this.#away
  }

  /** Has the engine asked anew before what it has is relied on again. */
  async distrust(): Promise<void> {
    // What it answers to a question that is under way may be of yesterday.
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
    // Meanwhile another one may have been set.
    if (url !== this.#url) return
    const failed = outcome instanceof Error
    if (!failed) this.#metadata = outcome
    const now = this.#now()
    this.#renewAt = now + (failed ? RETRIED_AT : RENEWED_AT)
    this.#trustedUntil = now + TRUSTED_FOR
    this.#reading = undefined
    this.#logChange(failed ? outcome : null)
  }

  /** Logs that the engine is away, or back: once, not with every try. */
  #logChange(failure: Error | null): void {
    const isAway = failure !== null
    if (isAway === this.#away) return
    this.#away = isAway
    if (failure) this.#log.warn({ error: failure.message }, 'hook discovery failed')
    else this.#log.info({}, 'hook discovery succeeded again')
  }
}
