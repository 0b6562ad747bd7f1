import { recur } from '../jobs/recurring.ts'
import { Sequence } from '../scheduling/sequence.ts'
import { sweepOrphanedRows } from './check/orphaned-rows.ts'
import type { Files } from './files.ts'
import { removeOrphanedBlobs } from './orphaned-blobs.ts'
import { deleteOldUploads } from './uploads/upload-table.ts'

const HOUR = 3_600_000

/** Milliseconds after which leftovers of an unfinished write are deleted. */
const LEFTOVER_AGE_MS = 24 * HOUR

/** Batches per hour that are checked for bytes without a record. Normally none are found. */
const ORPHAN_BATCHES = 10

/** Milliseconds for which deletions are collected before their bytes are deleted. */
const SOON = 100

/** Deletes unreferenced bytes: those of deleted records shortly afterwards, those of unfinished uploads after a day. */
export class FileSweep {
  readonly #files: Files
  readonly #end: () => void
  #soon: NodeJS.Timeout | undefined
  readonly #removals = new Sequence()
  #stopped = false
  /** The key up to which rows were checked for bytes without a record. */
  #straysAfter = ''

  constructor(files: Files) {
    this.#files = files
    this.#end = recur((signal) => this.#sweep(signal), {
      // Random, so that nodes that start together do not sweep together.
      delay: HOUR * Math.random(),
      interval: HOUR,
      failed: (reason) => files.log.warn({ reason }, 'removing orphaned files failed, retrying in an hour'),
    })
  }

  /** Must be called when records may have been deleted. */
  wake(): void {
    if (this.#stopped || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.#removals.run(() => this.#remove())
    }, SOON).unref()
  }

  /** Waits for running deletions. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#end()
    clearTimeout(this.#soon)
    await this.#removals.ended()
  }

  /** Deletes unreferenced blobs. The hourly sweep retries after a failure. */
  async #remove(): Promise<void> {
    await removeOrphanedBlobs(this.#files).catch((error: Error) => {
      this.#files.log.debug({ error: error.message }, 'removing bytes of deleted files failed')
    })
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    await deleteOldUploads(this.#files, signal)
    for (let run = 0; run < ORPHAN_BATCHES && !signal.aborted; run++) {
      this.#straysAfter = await sweepOrphanedRows(this.#files, this.#straysAfter)
      if (this.#straysAfter === '') break
    }
    await removeOrphanedBlobs(this.#files, signal)
    await this.#files.blobs.sweep(LEFTOVER_AGE_MS, this.#files.appId)
  }
}
