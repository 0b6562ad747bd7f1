import { TimeSlice } from '../scheduling/loop-slicer.ts'
import { type Handshake, HandshakeRows } from './handshake-rows.ts'

/** Maximum time of logins in one iteration of the event loop, in milliseconds. */
const SLICE_MS = 1
/** Maximum number of logins in progress: more would only wait for the database, and load it. */
const MAX_IN_PROGRESS = 200
/** Maximum number of waiting handshakes. Each holds a socket, and about 5 KB of memory. */
const MAX_HANDSHAKES = 10_000

/**
 * The queue of clients that connect and log in; thousands arrive at once after a restart. Each iteration of the event loop admits
 * some, and commands of connected clients run before the next. The rest wait with their handshakes, for which clients have a long
 * timeout; the response to a login times out after 10 seconds (protocol/realtime, Timeouts and duplicate requests). So logins
 * have priority over handshakes.
 */
export class LoginQueue {
  readonly #logins: (() => void)[] = []
  readonly #handshakes: HandshakeRows
  readonly #slice = new TimeSlice({ maxMs: SLICE_MS }, () => this.#proceed())
  #inProgress = 0

  /** @param maxHandshakes maximum number of waiting handshakes */
  constructor(maxHandshakes = MAX_HANDSHAKES) {
    this.#handshakes = new HandshakeRows(maxHandshakes)
  }

  /** Queues a handshake, or rejects it or another one when too many are waiting. */
  shakeHands(handshake: Handshake): void {
    this.#handshakes.add(handshake)
    this.#schedule()
  }

  /** Runs a login when its slot in the queue comes up. */
  logIn(login: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#logins.push(() => {
        this.#inProgress++
        login()
          .then(resolve, reject)
          .finally(() => {
            this.#inProgress--
            this.#schedule()
          })
      })
      this.#schedule()
    })
  }

  /** Rejects the waiting handshakes. */
  clear(): void {
    this.#handshakes.clear()
  }

  get #mayProceed(): boolean {
    return this.#inProgress < MAX_IN_PROGRESS && (this.#logins.length > 0 || this.#handshakes.size > 0)
  }

  /** Schedules the next iteration, before which all received data have been read and processed. */
  #schedule(): void {
    if (this.#mayProceed) this.#slice.open()
  }

  #proceed(): void {
    if (!this.#mayProceed) return
    this.#slice.open()
    do {
      const login = this.#logins.shift()
      if (login) login()
      else this.#handshakes.take()?.begin()
      this.#slice.check()
    } while (this.#mayProceed && !this.#slice.isOver)
  }
}
