import type { Duplex } from 'node:stream'
import type { LoopTurns } from '../turns/loop-turns.ts'

/** Bytes of a connection that are taken apart at once: at most some 340 frames, which takes about a millisecond. */
const SLICE = 2048

/**
 * Hands what arrives on a socket to who listens to its data, a slice in a turn. By itself a socket hands over all it has
 * read, 64 KB at once, which can be ten thousand frames of one client.
 */
export class Arrivals {
  readonly #socket: Duplex
  readonly #turns: LoopTurns
  readonly #address: string
  #paused = false
  /** It waits for its turn among the connections of its address. */
  #isInLine = false

  /**
   * @param socket that somebody listens to the data of
   * @param turns of all connections
   * @param address of this one
   */
  constructor(socket: Duplex, turns: LoopTurns, address: string) {
    this.#socket = socket
    this.#turns = turns
    this.#address = address
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
      if (!mayRead && !this.#takeTurn()) return
      mayRead = false
      socket.read(Math.min(SLICE, socket.readableLength))
    }
    // Where nothing more comes the end is told by this, and only by this.
    if (!this.#paused) socket.read(0)
  }

  #takeTurn(): boolean {
    if (this.#isInLine) return false
    if (this.#turns.take(this.#address)) return true
    this.#isInLine = true
    this.#turns.wait(this.#address, () => {
      this.#isInLine = false
      this.#proceed(true)
    })
    return false
  }
}
