import { type LoopSlicer, SlicedSource } from '../scheduling/loop-slicer.ts'

/** So many frames of one connection are worked on at once. */
const MAX_IN_PROGRESS = 200
/** And so many bytes of them. */
const MAX_BYTES_IN_PROGRESS = 256 * 1024

/** A sign of life that is answered in its turn, as everything that comes. */
export class Ping {
  readonly content: Buffer

  constructor(content: Buffer) {
    this.content = content
  }

  get length(): number {
    return this.content.length
  }
}

/** What a client sends: a command as bytes or as text, or a ping. */
export type Frame = Buffer | string | Ping

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
  readonly #work: (frame: Frame) => void | Promise<void>
  readonly #sliced: SlicedSource
  #waiting: Frame[] = []
  #inProgress = 0
  #bytesInProgress = 0
  #paused = false

  /**
   * @param work must not reject
   * @param slicer shared by all connections
   * @param address of this one
   */
  constructor(source: Source, work: (frame: Frame) => void | Promise<void>, slicer: LoopSlicer, address: string) {
    this.#source = source
    this.#work = work
    this.#sliced = new SlicedSource(slicer, address, () => this.#proceed(true))
  }

  add(frame: Frame): void {
    this.#waiting.push(frame)
    this.#proceed()
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = []
    this.#proceed()
  }

  /** @param granted one may begin without asking */
  #proceed(granted = false): void {
    let mayBegin = granted
    while (this.#waiting.length > 0 && !this.#isBusy()) {
      if (!mayBegin && !this.#sliced.take()) break
      mayBegin = false
      this.#begin(this.#waiting.shift()!)
    }
    const full = this.#waiting.length > 0
    if (full === this.#paused) return
    this.#paused = full
    if (full) this.#source.pause()
    else this.#source.resume()
  }

  #isBusy(): boolean {
    return this.#inProgress >= MAX_IN_PROGRESS || this.#bytesInProgress >= MAX_BYTES_IN_PROGRESS
  }

  #begin(frame: Frame): void {
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
