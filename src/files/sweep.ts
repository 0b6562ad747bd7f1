import { recur } from '../jobs/recurring.ts'
import { Sequence } from '../scheduling/sequence.ts'
import { sweepStrayRows } from './check/stray-rows.ts'
import type { Files } from './files.ts'
import { removeLooseBlobs } from './loose-blobs.ts'
import { deleteOldUploads } from './uploads/upload-table.ts'

const HOUR = 3_600_000

/** Milliseconds after which what a write has left behind is nobody's. */
const LEFT_BEHIND = 24 * HOUR

/** How many runs look for bytes without a record, each hour: there should be none. */
const STRAY_RUNS = 10

/** Milliseconds that deletions are collected before their bytes are removed. */
const SOON = 100

/** Removes bytes that are no longer wanted: soon after their records, and what was never finished after a day. */
export class FileSweep {
  readonly #files: Files
  readonly #end: () => void
  #soon: NodeJS.Timeout | undefined
  readonly #removals = new Sequence()
  #stopped = false
  /** Up to which key it has been looked for bytes without a record. */
  #straysAfter = ''

  constructor(files: Files) {
    this.#files = files
    this.#end = recur((signal) => this.#sweep(signal), {
      // Nodes that start together do not sweep together.
      delay: HOUR * Math.random(),
      interval: HOUR,
      failed: (reason) => files.log.warn({ reason }, 'removing orphaned files failed, retrying in an hour'),
    })
  }

  /** To be called when records may have been deleted. */
  wake(): void {
    if (this.#stopped || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.#removals.run(() => this.#remove())
    }, SOON).unref()
  }

  /** Ends when what is being removed is removed. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#end()
    clearTimeout(this.#soon)
    await this.#removals.ended()
  }

  /** What cannot be removed now, the sweep will remove. */
  async #remove(): Promise<void> {
    await removeLooseBlobs(this.#files).catch((error: Error) => {
      this.#files.log.debug({ error: error.message }, 'removing bytes of deleted files failed')
    })
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    await deleteOldUploads(this.#files, signal)
    for (let run = 0; run < STRAY_RUNS && !signal.aborted; run++) {
      this.#straysAfter = await sweepStrayRows(this.#files, this.#straysAfter)
      if (this.#straysAfter === '') break
    }
    await removeLooseBlobs(this.#files, signal)
    await this.#files.blobs.sweep(LEFT_BEHIND, this.#files.appId)
  }
}
