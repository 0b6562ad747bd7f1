import { type LoopSlicer, SlicedSource } from '../scheduling/loop-slicer.ts'

/** Maximum number of frames of one connection in progress. */
const MAX_IN_PROGRESS = 200
/** Maximum number of their bytes. */
const MAX_BYTES_IN_PROGRESS = 256 * 1024

/** A ping, which is answered in order with the other frames. */
export class Ping {
  readonly content: Buffer

  constructor(content: Buffer) {
    this.content = content
  }

  get length(): number {
    return this.content.length
  }
}

/** A frame of a client: a command as bytes or text, or a ping. */
export type Frame = Buffer | string | Ping

/** Pauses and resumes the reading of a connection. */
interface Source {
  pause(): void
  resume(): void
}

/**
 * The queue of one client's frames. They begin in order, each without waiting for the end of the previous ones. While too many
 * are in progress, so that one client would take more than its share, the connection is not read; frames that were read with the
 * last one wait here.
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
   * @param address the address of this connection
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

  /** Drops the waiting frames. */
  clear(): void {
    this.#waiting = []
    this.#proceed()
  }

  /** Begins waiting frames. @param granted whether one frame may begin without a request to the slicer */
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
