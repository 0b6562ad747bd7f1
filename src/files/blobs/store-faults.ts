import { type ApiError, errors } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Milliseconds for which the log says nothing more of a store that it has told of. */
const PAUSE = 60_000

/** Tells the administrator why a store does not work, now and then, and callers that it does not. */
export class StoreFaults {
  readonly #log: Log
  readonly #store: string
  readonly #now: () => number
  #saidAt = Number.NEGATIVE_INFINITY
  #unsaid = 0

  /**
   * @param store its description
   * @param now milliseconds
   */
  constructor(log: Log, store: string, now: () => number = () => performance.now()) {
    this.#log = log.child({ component: 'files' })
    this.#store = store
    this.#now = now
  }

  /** Notes a fault of the store. @returns what the caller of the API is told */
  report(error: unknown): ApiError {
    if (this.#now() < this.#saidAt + PAUSE) this.#unsaid++
    else {
      const unsaid = this.#unsaid > 0 && { unsaid: this.#unsaid }
      this.#log.error({ store: this.#store, reason: reasonOf(error), ...unsaid }, 'file storage unavailable')
      this.#saidAt = this.#now()
      this.#unsaid = 0
    }
    return errors.filesUnavailable()
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the quota is used up',
  ENOENT: 'the folder is not there: is what it lies on mounted?',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the file system is read-only',
}

/** Why a store does not work, in one line. Texts of a store hold neither secrets nor signatures. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, message } = error as NodeJS.ErrnoException
  const known = code !== undefined && REASONS[code]
  // Errors of several addresses of a host have no text of their own.
  const text = known || message || code || error.name
  return (known || ['Error', 'AggregateError'].includes(error.name) ? text : `${error.name}: ${text}`).replaceAll(
    /\s+/g,
    ' ',
  )
}
