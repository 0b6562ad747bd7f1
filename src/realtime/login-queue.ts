import { TimeSlice } from '../scheduling/loop-slicer.ts'
import { type Handshake, HandshakeRows } from './handshake-rows.ts'

/** How long logins may delay everything else in an iteration of the event loop, in milliseconds. */
const SLICE_MS = 1
/** Logins in progress: more would only wait for the database, and it for them. */
const MAX_IN_PROGRESS = 200
/** Handshakes that wait. Each holds a socket, and about 5 KB of memory. */
const MAX_HANDSHAKES = 10_000

/**
 * The queue of clients that connect and log in, of which thousands come at once after a restart. In each iteration of the
 * event loop some are let in, and what connected clients have sent meanwhile goes before the next. The rest wait with their
 * handshakes, for which clients have a long timeout: the response to a login is missed after 10 seconds (protocol/realtime,
 * Timeouts and duplicate requests). So logins go before handshakes.
 */
export class LoginQueue {
  readonly #logins: (() => void)[] = []
  readonly #handshakes: HandshakeRows
  readonly #slice = new TimeSlice({ maxMs: SLICE_MS }, () => this.#proceed())
  #inProgress = 0

  /** @param maxHandshakes how many may wait */
  constructor(maxHandshakes = MAX_HANDSHAKES) {
    this.#handshakes = new HandshakeRows(maxHandshakes)
  }

  /** Begins a handshake in its turn, or refuses it or another one when too many wait. */
  shakeHands(handshake: Handshake): void {
    this.#handshakes.add(handshake)
    this.#schedule()
  }

  /** Runs a login in its turn. */
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

  /** Refuses the handshakes that wait. */
  clear(): void {
    this.#handshakes.clear()
  }

  get #mayProceed(): boolean {
    return this.#inProgress < MAX_IN_PROGRESS && (this.#logins.length > 0 || this.#handshakes.size > 0)
  }

  /** Waits for the next iteration: by then what else there was to be read has been read and processed. */
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
