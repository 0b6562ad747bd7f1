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
  /** Where results are kept; it is made where it is missing. Nothing else may be in it. */
  readonly directory: string
  /** Bytes that results take on the disk: 1 GB by default. */
  readonly diskBytes?: number
  /** What is kept free of the disk; nothing without it. */
  readonly reserve?: DiskReserve
  /** Bytes of results that are kept in memory too. */
  readonly memoryBytes?: number
  /**
   * How many are made at a time: by default one less than there are processors, and three at most, as each holds one of
   * the four threads that files are read with, too.
   */
  readonly places?: number
  /** Bytes of decoded pixels in flight, over all apps: 192 MB by default. */
  readonly pixelBytes?: number
  readonly waiting?: { readonly atAddress: number; readonly ofApp: number; readonly inAll: number }
  /** Milliseconds that one waits for a place. */
  readonly patience?: number
  readonly limits?: PictureLimits
  /** Milliseconds that a file is there after its path was given. */
  readonly readableFor?: number
  /** Is told of what went wrong where the answer needs nothing of it. */
  readonly onFault?: (error: unknown) => void
}

export interface PictureWanted {
  readonly appId: string
  /** Id of the stored bytes, which never change. */
  readonly blob: string
  /** Where the bytes are; asked only when the result has to be made. */
  readonly source: PictureSource | (() => PictureSource | Promise<PictureSource>)
  readonly request: PictureRequest
  readonly principal: Principal
  readonly limits?: PictureCounts
}

/** Counts what is made, for the limits of the app. What they return or throw is as in `AppLimits.take`. */
export interface PictureCounts {
  /** A result that was not kept is to be made of this file. */
  takeOfFile(blob: string): Promise<void> | void
  /** Megapixels are read and made for it. */
  takeMegapixels(megapixels: number): Promise<void> | void
}

interface Failure {
  readonly failure: unknown
  /** Not of what is around it: it will fail again. */
  readonly isOfPicture: boolean
}

/** What came of a picture that is made for all who ask for it at the moment. */
type Outcome =
  | { readonly picture: Picture }
  | Failure
  /** The principal that asked first got no turn; another may. */
  | { readonly refusal: unknown }

interface Making {
  readonly blob: string
  readonly outcome: Promise<Outcome>
  isForgotten: boolean
}

/** How many failures are remembered, and for how many milliseconds: broken pictures are asked for again and again. */
const FAILURES = 1000
const FAILURE_LASTS = 60_000

/** Bytes of decoded pixels in flight: two photos of 12 megapixels, or one of the largest sources alone. */
const PIXEL_BYTES = 192 * 1024 * 1024

/**
 * Pictures made of stored files, by what the URL asks for (protocol/files, Pictures). Each is made once and kept; few are
 * made at a time, and apps, addresses and users take turns.
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
      // The event loop and the database keep a processor.
      slots: options.places ?? Math.max(1, Math.min(3, availableParallelism() - 1)),
      waiting: options.waiting ?? { atAddress: 50, ofApp: 150, inAll: 300 },
      // Longer than a picture takes: whoever is next gets a turn, whatever the others ask for.
      timeoutMs: options.patience ?? 30_000,
    })
    this.#limits = options.limits ?? PICTURE_LIMITS
    this.#memory = new PixelMemory(options.pixelBytes ?? PIXEL_BYTES, options.patience ?? 30_000)
  }

  /** Pictures that wait to be made. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** Fulfilled when all results of former times are known. Nobody has to wait for it. */
  get scanned(): Promise<void> {
    return this.#cache.scanned
  }

  /** Bytes that results take on the disk. */
  get diskBytes(): number {
    return this.#cache.diskBytes
  }

  /** Bytes of decoded pixels in flight. */
  get pixelBytes(): number {
    return this.#memory.inFlight
  }

  /**
   * @returns null when the original is to be the answer: it cannot be processed, and the request bids to ignore that
   * @throws what the source throws; ApiError 400 when the picture is broken or too large, or what is asked for impossible; 415 when the file is no
   *   picture; 429 or 503 when too many wait; 499 when the client disconnected
   */
  async get(wanted: PictureWanted): Promise<Picture | null> {
    const { appId, blob, request } = wanted
    const file = `${appId}/${blob}`
    const key = `${file} ${request.cacheKey}`
    // A server that nobody asks for pictures does not pay for what makes them: 13 MB of memory.
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

  /** Gives up all results of a file that is removed, those too that are being made. */
  async forget(appId: string, blob: string): Promise<void> {
    const file = `${appId}/${blob}`
    for (const making of this.#making.values()) {
      if (making.blob === file) making.isForgotten = true
    }
    await this.#cache.forget(file)
  }

  /** Waits for the picture that is being made; those that wait for a place get none. */
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
    // The next one is made while the disk takes this one.
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
