import type { Duplex } from 'node:stream'
import { type LoopSlicer, SlicedSource } from '../scheduling/loop-slicer.ts'

/** Bytes of a connection that are taken apart at once: at most some 340 frames, which takes about a millisecond. */
const SLICE = 2048

/**
 * Hands what arrives on a socket to who listens to its data, a slice in a turn. By itself a socket hands over all it has
 * read, 64 KB at once, which can be ten thousand frames of one client.
 */
export class Arrivals {
  readonly #socket: Duplex
  readonly #sliced: SlicedSource
  #paused = false

  /**
   * @param socket that somebody listens to the data of
   * @param slicer shared by all connections
   * @param address of this one
   */
  constructor(socket: Duplex, slicer: LoopSlicer, address: string) {
    this.#socket = socket
    this.#sliced = new SlicedSource(slicer, address, () => this.#proceed(true))
    // With a listener to this, data are handed over as they are read, and not as they come.
    socket.on('readable', () => this.#proceed())
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#proceed()
  }

  /** @param granted one slice may be handed over without asking */
  #proceed(granted = false): void {
    const socket = this.#socket
    let mayRead = granted
    while (!this.#paused && socket.readableLength > 0) {
      if (!mayRead && !this.#sliced.take()) return
      mayRead = false
      socket.read(Math.min(SLICE, socket.readableLength))
    }
    // Where nothing more comes the end is told by this, and only by this.
    if (!this.#paused) socket.read(0)
  }
}
