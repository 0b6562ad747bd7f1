import { type ApiError, errors } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Minimum milliseconds between two log entries about a store. */
const PAUSE = 60_000

/** Logs the faults of a store at a limited rate and converts them to API errors. */
export class StoreFaults {
  readonly #log: Log
  readonly #store: string
  readonly #now: () => number
  #saidAt = Number.NEGATIVE_INFINITY
  #unsaid = 0

  /**
   * @param store its description
   * @param now returns a monotonic time in milliseconds
   */
  constructor(log: Log, store: string, now: () => number = () => performance.now()) {
    this.#log = log.child({ component: 'files' })
    this.#store = store
    this.#now = now
  }

  /** Records a fault of the store. @returns the error for the API caller */
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
  ENOENT: 'the folder does not exist: is its file system mounted?',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the file system is read-only',
}

/** Returns in one line why a store does not work. Error texts of stores contain neither secrets nor signatures. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, message } = error as NodeJS.ErrnoException
  const known = code !== undefined && REASONS[code]
  // Aggregate errors of a host with several addresses have no message.
  const text = known || message || code || error.name
  return (known || ['Error', 'AggregateError'].includes(error.name) ? text : `${error.name}: ${text}`).replaceAll(
    /\s+/g,
    ' ',
  )
}
