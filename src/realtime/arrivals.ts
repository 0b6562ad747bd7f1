import type { Duplex } from 'node:stream'
import { type LoopSlicer, SlicedSource } from '../scheduling/loop-slicer.ts'

/** Bytes of a connection that are parsed at once: at most some 340 frames, which takes about a millisecond. */
const SLICE = 2048

/**
 * Emits the data of a socket in slices, limited per iteration of the event loop. By default a socket emits everything it has
 * read, up to 64 KB at once, which may be ten thousand frames of one client.
 */
export class Arrivals {
  readonly #socket: Duplex
  readonly #sliced: SlicedSource
  #paused = false

  /**
   * @param socket a socket with a listener for its data
   * @param slicer shared by all connections
   * @param address the address of this connection
   */
  constructor(socket: Duplex, slicer: LoopSlicer, address: string) {
    this.#socket = socket
    this.#sliced = new SlicedSource(slicer, address, () => this.#proceed(true))
    // With this listener, data are emitted when they are read explicitly, not when they arrive.
    socket.on('readable', () => this.#proceed())
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#proceed()
  }

  /** Emits slices. @param granted whether one slice may be emitted without a request to the slicer */
  #proceed(granted = false): void {
    const socket = this.#socket
    let mayRead = granted
    while (!this.#paused && socket.readableLength > 0) {
      if (!mayRead && !this.#sliced.take()) return
      mayRead = false
      socket.read(Math.min(SLICE, socket.readableLength))
    }
    // Without further data, this call is the only one that emits the end.
    if (!this.#paused) socket.read(0)
  }
}
