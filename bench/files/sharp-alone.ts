import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import { processorTime } from '../server-usage.ts'

/** Thumbnails to create of one image. */
export interface Thumbnails {
  /** Path of the image. */
  readonly source: string
  readonly sizes: readonly { readonly width: number; readonly height: number }[]
  readonly atOnce: number
  /** The JPEG quality. */
  readonly quality: number
}

/** A process that only creates thumbnails with sharp. */
export class SharpAlone {
  readonly #child: ChildProcess

  static async start(cleanup: Cleanup): Promise<SharpAlone> {
    const child = fork(fileURLToPath(new URL('./sharp-main.js', import.meta.url)))
    cleanup.add(() => child.kill())
    await once(child, 'spawn')
    return new SharpAlone(child)
  }

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Returns the CPU time so far in milliseconds; null where unavailable. */
  processorTime(): number | null {
    return processorTime(this.#child.pid!)
  }

  /** @throws Error when the process exits */
  async make(thumbnails: Thumbnails): Promise<void> {
    const ended = new AbortController()
    const { signal } = ended
    try {
      const end = once(this.#child, 'exit', { signal }).then(() => {
        throw new Error('The process with sharp has ended.')
      })
      const answer = once(this.#child, 'message', { signal })
      this.#child.send(thumbnails)
      await Promise.race([answer, end])
    } finally {
      ended.abort()
    }
  }
}
