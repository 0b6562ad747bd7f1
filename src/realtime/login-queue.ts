import { type Handshake, HandshakeRows } from './handshake-rows.ts'

/** How long logins may hold up everything else in a turn of the event loop, in milliseconds. */
const SLICE = 1
/** Logins that are worked on at once: more would only wait for the database, and it for them. */
const MAX_UNDER_WAY = 200
/** Handshakes that wait. Each holds a socket, and about 5 KB of memory. */
const MAX_HANDSHAKES = 10_000
/**
 * Clients that come back all at once, after a restart say, take turns: in each turn of the event loop some are let in, and
 * what others have asked for meanwhile goes before the next. They wait with their handshakes, which clients have patience
 * with: an answer to a login is missed after 10 seconds (protocol/realtime, Timeouts and duplicate requests). So who is
 * in goes before who is not.
 */
export class LoginQueue {
  readonly #logins: (() => void)[] = []
  readonly #handshakes: HandshakeRows
  #underWay = 0
  #scheduled = false

  /** @param maxHandshakes how many may wait */
  constructor(maxHandshakes = MAX_HANDSHAKES) {
    this.#handshakes = new HandshakeRows(maxHandshakes)
  }

  /** Begins a handshake when it is its turn, or refuses it, or another one, when too many wait. */
  shakeHands(handshake: Handshake): void {
    this.#handshakes.add(handshake)
    this.#schedule()
  }

  /** Runs a login when it is its turn. */
  logIn(login: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#logins.push(() => {
        this.#underWay++
        login()
          .then(resolve, reject)
          .finally(() => {
            this.#underWay--
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

  get #isAnyonesTurn(): boolean {
    return this.#underWay < MAX_UNDER_WAY && (this.#logins.length > 0 || this.#handshakes.size > 0)
  }

  #schedule(): void {
    if (this.#scheduled || !this.#isAnyonesTurn) return
    this.#scheduled = true
    // By then what else there was to be read has been read and dealt with.
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#scheduled = false
    const end = performance.now() + SLICE
    do {
      const login = this.#logins.shift()
      if (login) login()
      else this.#handshakes.take()?.begin()
    } while (this.#isAnyonesTurn && performance.now() < end)
    this.#schedule()
  }
}
