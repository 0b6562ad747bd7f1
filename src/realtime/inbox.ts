/** So many frames of one connection are worked on at once. */
const MAX_IN_PROGRESS = 200
/** And so many bytes of them. */
const MAX_BYTES_IN_PROGRESS = 256 * 1024

/** What stops and starts the reading of a connection. */
interface Source {
  pause(): void
  resume(): void
}

/**
 * The frames of one client on their way to who works on them: in their order, each begun without waiting for the end of
 * those before it. While so many are in progress that one client would take more than its share, the connection is not
 * read; what was read together with the last one waits here.
 */
export class Inbox {
  readonly #source: Source
  readonly #work: (frame: Buffer | string) => void | Promise<void>
  #waiting: (Buffer | string)[] = []
  #inProgress = 0
  #bytesInProgress = 0
  #paused = false

  /** @param work must not reject */
  constructor(source: Source, work: (frame: Buffer | string) => void | Promise<void>) {
    this.#source = source
    this.#work = work
  }

  add(frame: Buffer | string): void {
    this.#waiting.push(frame)
    this.#proceed()
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = []
    this.#proceed()
  }

  #proceed(): void {
    while (this.#waiting.length > 0 && !this.#isBusy()) this.#begin(this.#waiting.shift()!)
    const full = this.#waiting.length > 0
    if (full === this.#paused) return
    this.#paused = full
    if (full) this.#source.pause()
    else this.#source.resume()
  }

  #isBusy(): boolean {
    return this.#inProgress >= MAX_IN_PROGRESS || this.#bytesInProgress >= MAX_BYTES_IN_PROGRESS
  }

  #begin(frame: Buffer | string): void {
    const work = this.#work(frame)
    if (!work) return
    const { length } = frame
    this.#inProgress++
    this.#bytesInProgress += length
    void work.then(() => {
      this.#inProgress--
      this.#bytesInProgress -= length
      this.#proceed()
    })
  }
}
