import { availableParallelism } from 'node:os'
import { type DiskReserve, NO_RESERVE } from '../../disk-reserve.ts'
import { ApiError, errors } from '../../errors.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { LeastRecentlyUsed } from './least-recently-used.ts'
import { type Picture, PictureCache, type PictureName } from './picture-cache.ts'
import { PICTURE_LIMITS, type PictureLimits } from './picture-limits.ts'
import type { PictureRequest } from './picture-steps.ts'
import { PixelMemory } from './pixel-memory.ts'
import type { PictureSource } from './read-source.ts'
import type { RenderedPicture } from './rendered-picture.ts'

export interface PicturesOptions {
  /** Directory of the cache; created if missing. Must contain nothing else. */
  readonly directory: string
  /** Maximum bytes of results on disk; 1 GB by default. */
  readonly diskBytes?: number
  /** Free disk space to keep; omitted: none. */
  readonly reserve?: DiskReserve
  /** Maximum bytes of results in memory. */
  readonly memoryBytes?: number
  /**
   * Maximum pictures processed at a time. By default one less than the number of processors and at most three, because each also
   * occupies one of the four threads for file access.
   */
  readonly slots?: number
  /** Maximum bytes of decoded pixels in memory, over all apps; 192 MB by default. */
  readonly pixelBytes?: number
  readonly waiting?: { readonly atAddress: number; readonly ofApp: number; readonly inAll: number }
  /** Milliseconds that a request waits for a slot. */
  readonly timeoutMs?: number
  readonly limits?: PictureLimits
  /** Milliseconds for which the file of a returned path remains readable. */
  readonly readableFor?: number
  /** Called with errors that do not affect the response. */
  readonly onFault?: (error: unknown) => void
}

export interface PictureWanted {
  readonly appId: string
  /** Id of the stored bytes, which never change. */
  readonly blob: string
  /** The source bytes. The function is called only when the result is not cached. */
  readonly source: PictureSource | (() => PictureSource | Promise<PictureSource>)
  readonly request: PictureRequest
  readonly principal: Principal
  readonly limits?: PictureCounts
}

/** Counts processed pictures against the limits of the app. Return values and errors are as in `AppLimits.take`. */
export interface PictureCounts {
  /** Called before a result that is not cached is computed from this file. */
  takeOfFile(blob: string): Promise<void> | void
  /** Called with the megapixels that are read and produced. */
  takeMegapixels(megapixels: number): Promise<void> | void
}

interface Failure {
  readonly failure: unknown
  /** Whether the failure is caused by the picture itself and would recur. */
  readonly isOfPicture: boolean
}

/** The outcome of a computation that all concurrent requests for the same picture share. */
type Outcome =
  | { readonly picture: Picture }
  | Failure
  /** The principal that asked first got no slot; another principal may. */
  | { readonly refusal: unknown }

interface Making {
  readonly blob: string
  readonly outcome: Promise<Outcome>
  isForgotten: boolean
}

/**
 * Maximum number of remembered failures, and how long they are kept in milliseconds: broken pictures are requested repeatedly.
 */
const FAILURES = 1000
const FAILURE_LASTS = 60_000

/** Bytes of decoded pixels in flight: two photos of 12 megapixels, or one of the largest sources alone. */
const PIXEL_BYTES = 192 * 1024 * 1024

/**
 * Renders pictures from stored files as the URL requests (protocol/files, Pictures). Each result is computed once and cached. Few
 * are computed at a time, in fair order of apps, addresses and users.
 */
export class Pictures {
  readonly #cache: PictureCache
  readonly #queue: FairSemaphore
  readonly #limits: PictureLimits
  readonly #memory: PixelMemory
  readonly #making = new Map<string, Making>()
  readonly #failures = new LeastRecentlyUsed<{ readonly failure: ApiError; readonly until: number }>(FAILURES, FAILURES)
  readonly #stopping = new AbortController()

  constructor(options: PicturesOptions) {
    this.#cache = new PictureCache({
      directory: options.directory,
      diskBytes: options.diskBytes ?? 1_000_000_000,
      reserve: options.reserve ?? NO_RESERVE,
      memoryBytes: options.memoryBytes ?? 32_000_000,
      readableFor: options.readableFor ?? 30_000,
      onFault: options.onFault ?? (() => undefined),
    })
    this.#queue = new FairSemaphore({
      // One processor is left for the event loop and the database.
      slots: options.slots ?? Math.max(1, Math.min(3, availableParallelism() - 1)),
      waiting: options.waiting ?? { atAddress: 50, ofApp: 150, inAll: 300 },
      // Longer than a picture takes, so that the next request in the queue gets a slot regardless of the others.
      timeoutMs: options.timeoutMs ?? 30_000,
    })
    this.#limits = options.limits ?? PICTURE_LIMITS
    this.#memory = new PixelMemory(options.pixelBytes ?? PIXEL_BYTES, options.timeoutMs ?? 30_000)
  }

  /** Number of pictures waiting to be processed. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** Resolves when the results of earlier runs are indexed. Requests need not wait for it. */
  get scanned(): Promise<void> {
    return this.#cache.scanned
  }

  /** Bytes of results on disk. */
  get diskBytes(): number {
    return this.#cache.diskBytes
  }

  /** Bytes of decoded pixels in flight. */
  get pixelBytes(): number {
    return this.#memory.inFlight
  }

  /**
   * Returns a cached picture, or computes it.
   * @returns null when the original should be sent: it cannot be processed, and the request says to ignore errors
   * @throws the error of the source; ApiError 400 when the picture is broken or too large, or the request impossible; 415 when
   *   the file is not a picture; 429 or 503 when too many requests wait; 499 when the client disconnected
   */
  async get(wanted: PictureWanted): Promise<Picture | null> {
    const { appId, blob, request } = wanted
    const file = `${appId}/${blob}`
    const key = `${file} ${request.cacheKey}`
    // Loaded on first use: the image library takes 13 MB of memory.
    const { LIBRARY_VERSION } = await import('./image-library.ts')
    for (;;) {
      const others = this.#making.get(key)
      const making = others ?? this.#begin(key, { file, result: `${LIBRARY_VERSION} ${request.cacheKey}` }, wanted)
      const outcome = await making.outcome
      if ('picture' in outcome) return outcome.picture
      if ('failure' in outcome) {
        if (outcome.isOfPicture && request.ignoreError) return null
        throw outcome.failure
      }
      if (!others) throw outcome.refusal
    }
  }

  /** Deletes all results of a file that is being removed, including those being computed. */
  async forget(appId: string, blob: string): Promise<void> {
    const file = `${appId}/${blob}`
    for (const making of this.#making.values()) {
      if (making.blob === file) making.isForgotten = true
    }
    await this.#cache.forget(file)
  }

  /** Waits for the pictures being computed. Requests waiting for a slot are rejected. */
  async close(): Promise<void> {
    this.#stopping.abort(errors.unavailable())
    await Promise.all([...this.#making.values()].map((making) => making.outcome))
    await this.#cache.close()
  }

  #begin(key: string, name: PictureName, wanted: PictureWanted): Making {
    const making: Making = {
      blob: name.file,
      isForgotten: false,
      outcome: this.#made(key, name, wanted).then(async (outcome) => {
        if (making.isForgotten) await this.#cache.forget(name.file)
        this.#making.delete(key)
        return outcome
      }),
    }
    this.#making.set(key, making)
    return making
  }

  async #made(key: string, name: PictureName, wanted: PictureWanted): Promise<Outcome> {
    try {
      const kept = await this.#cache.read(name)
      if (kept) return { picture: kept }
      const known = this.#failures.get(key)
      if (known && known.until > performance.now()) return { failure: known.failure, isOfPicture: true }
      await wanted.limits?.takeOfFile(wanted.blob)
      const wait = this.#queue.acquire(wanted.principal)
      if (wait) await wait
    } catch (refusal) {
      return { refusal }
    }
    let rendered: RenderedPicture
    try {
      const outcome = await this.#rendered(key, wanted)
      if ('failure' in outcome || 'refusal' in outcome) return outcome
      rendered = outcome
    } catch (failure) {
      return { failure, isOfPicture: false }
    } finally {
      this.#queue.release(wanted.principal)
    }
    // The slot is already free: the next picture is computed while this one is written to disk.
    return { picture: await this.#cache.write(name, rendered) }
  }

  async #rendered(
    key: string,
    { source, request, limits }: PictureWanted,
  ): Promise<RenderedPicture | Failure | { readonly refusal: unknown }> {
    const { signal } = this.#stopping
    signal.throwIfAborted()
    const stored = typeof source === 'function' ? await source() : source
    const { renderPicture } = await import('./render-picture.ts')
    try {
      return await renderPicture(stored, request, this.#limits, signal, async ({ pixels, bytes }) => {
        await limits?.takeMegapixels(Math.ceil(pixels / 1_000_000))
        return this.#memory.acquire(bytes, signal)
      })
    } catch (failure) {
      if (
        failure instanceof ApiError &&
        (failure.status === 429 || failure.status === 503) &&
        failure !== signal.reason
      )
        return { refusal: failure }
      if (!(failure instanceof ApiError) || failure === signal.reason) throw failure
      this.#failures.set(key, { failure, until: performance.now() + FAILURE_LASTS }, 1)
      return { failure, isOfPicture: true }
    }
  }
}
