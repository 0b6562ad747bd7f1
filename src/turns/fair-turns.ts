import { errors } from '../errors.ts'
import { mayHave } from './address-share.ts'
import { MeetingPoint } from './meeting-point.ts'
import type { Party } from './party.ts'

export interface TurnsOptions {
  /** How many have their turn at a time. */
  readonly places: number
  /** How many may wait: at each address, beyond its share of those in all; for each app, and in all. */
  readonly waiting: { readonly atAddress: number; readonly ofApp: number; readonly inAll: number }
  /** Milliseconds that one waits at most. */
  readonly patience: number
}

/** How many apps, and addresses of each, are kept when they have nothing to do. */
const KEPT = 32

interface App {
  readonly id: string
  running: number
  waiting: number
  readonly addresses: Map<string, Address>
  /** How many turns each user has, wherever it is. */
  readonly users: Map<string, number>
}

interface Address {
  readonly app: App
  readonly id: string
  running: number
  waiting: number
  /** Who waits, by user. */
  readonly rows: Map<string, Set<Waiting>>
}

interface Waiting {
  readonly party: Party
  readonly address: Address
  /** Ends the wait, with a turn or without. */
  readonly settle: (refusal?: Error) => void
}

/**
 * Lends a few places to many parties. While there is room everybody begins at once. Then turns go round: between the apps
 * that wait, in an app between its addresses, at an address between its users; of one user the first comes first. And
 * nobody holds more than a share of the places, so that who comes next need not wait until somebody's slow work is done:
 *
 * - an address has half of them; all but one as long as no other address comes
 * - a user has one less than an address, so that its neighbours have something left
 * - an app has three quarters; all of them as long as no other app comes
 *
 * What is done for no address in particular is held back by the share of the app alone. How many wait is bounded, and how
 * long.
 */
export class FairTurns {
  readonly #options: TurnsOptions
  readonly #apps = new Map<string, App>()
  readonly #addressesMeet = new MeetingPoint()
  readonly #appsMeet = new MeetingPoint()
  #places: number
  #running = 0
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
    this.#places = options.places
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  get places(): number {
    return this.#places
  }

  /** Where places become fewer, those who have one keep it. */
  set places(places: number) {
    this.#places = places
    this.#fill()
  }

  /**
   * Begins a turn, which `end` ends.
   * @returns undefined when it has begun at once, else a promise of its beginning
   * @throws (as a rejection) ApiError 429 when the party's own share is full for too long, or too many wait for it; 503 when
   *   that is so of all together; 499 when the party went away; what is its `refusal` when its turn has come
   */
  begin(party: Party): Promise<void> | undefined {
    if (party.address !== '') {
      this.#addressesMeet.enter(party.app, party.address)
      this.#appsMeet.enter(party.app, '')
    }
    const address = this.#addressOf(party)
    // Users in other rows wait because their shares are full: nobody is overtaken.
    const isFirst = address.waiting === 0 || !address.rows.has(party.user)
    if (isFirst && this.#running < this.#places && this.#hasShare(address, party.user)) {
      this.#start(address, party.user)
      return undefined
    }
    return this.#wait(address, party)
  }

  end(party: Party): void {
    const address = this.#addressOf(party)
    const { users } = address.app
    const user = userAt(address, party.user)
    const left = users.get(user)! - 1
    if (left > 0) users.set(user, left)
    else users.delete(user)
    address.running--
    address.app.running--
    this.#running--
    this.#tidy(address)
    this.#fill()
  }

  /**
   * Does something in a turn. Where it took the event loop, its place stays taken for a while behind it: others have the
   * event loop meanwhile.
   * @param rest milliseconds, none unless told; where it is a matter of what came of it, a failure needs none
   * @throws as `begin`, and what `work` throws
   */
  async perform<Result>(
    party: Party,
    work: () => Promise<Result>,
    rest: number | ((result: Result) => number) = 0,
  ): Promise<Result> {
    const turn = this.begin(party)
    if (turn) await turn
    let time = typeof rest === 'number' ? rest : 0
    try {
      const result = await work()
      if (typeof rest === 'function') time = rest(result)
      return result
    } finally {
      if (time > 0) setTimeout(() => this.end(party), time)
      else this.end(party)
    }
  }

  #start(address: Address, name: string): void {
    const { users } = address.app
    const user = userAt(address, name)
    users.set(user, (users.get(user) ?? 0) + 1)
    address.running++
    address.app.running++
    this.#running++
  }

  async #wait(address: Address, party: Party): Promise<void> {
    const refusal = this.#refusal(address)
    if (refusal) {
      this.#tidy(address)
      throw refusal
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        party,
        address,
        settle: (refusal) => {
          clearTimeout(timer)
          stopListening?.()
          this.#leave(waiting)
          if (refusal) reject(refusal)
          else resolve()
        },
      }
      const timer = setTimeout(() => this.#giveUp(waiting), this.#options.patience)
      const stopListening = party.whenGone?.(() => waiting.settle(errors.clientGone()))
      this.#join(waiting)
      // Time may have made shares larger.
      this.#fill()
    })
  }

  #refusal(address: Address): Error | null {
    const { atAddress, ofApp, inAll } = this.#options.waiting
    const share = { guaranteed: atAddress, inAll, times: 1 }
    if (address.id !== '' && !mayHave(share, address.waiting, this.#waiting)) return errors.tooManyRequests()
    if (address.app.waiting >= ofApp) return errors.tooManyRequests()
    return this.#waiting >= inAll ? errors.unavailable() : null
  }

  #giveUp(waiting: Waiting): void {
    const isOwnFault = !this.#hasShare(waiting.address, waiting.party.user)
    waiting.settle(isOwnFault ? errors.tooManyRequests() : errors.unavailable())
  }

  #join(waiting: Waiting): void {
    const { address, party } = waiting
    const row = address.rows.get(party.user)
    if (row) row.add(waiting)
    else address.rows.set(party.user, new Set([waiting]))
    address.waiting++
    address.app.waiting++
    this.#waiting++
  }

  #leave(waiting: Waiting): void {
    const { address, party } = waiting
    const row = address.rows.get(party.user)!
    row.delete(waiting)
    if (row.size === 0) address.rows.delete(party.user)
    address.waiting--
    address.app.waiting--
    this.#waiting--
    this.#tidy(address)
  }

  /** Lets those begin whose turn it is. */
  #fill(): void {
    while (this.#waiting > 0 && this.#running < this.#places) {
      const next = this.#next()
      if (!next) break
      const refusal = next.party.refusal?.()
      if (!refusal) this.#start(next.address, next.party.user)
      next.settle(refusal)
    }
  }

  /** Whose turn it is; in each row whoever has one now goes to the end. */
  #next(): Waiting | undefined {
    for (const app of this.#apps.values()) {
      if (app.waiting === 0 || app.running >= this.#shareOfApp()) continue
      for (const address of app.addresses.values()) {
        if (address.waiting === 0) continue
        for (const [user, row] of address.rows) {
          if (!this.#hasShare(address, user)) continue
          moveToEnd(this.#apps, app.id, app)
          moveToEnd(app.addresses, address.id, address)
          moveToEnd(address.rows, user, row)
          const [first] = row
          return first
        }
      }
    }
    return undefined
  }

  #hasShare(address: Address, user: string): boolean {
    const { app, id, running } = address
    if (app.running >= this.#shareOfApp()) return false
    if (id === '') return true
    const share = this.#shareOfAddress()
    return running < share && (app.users.get(userAt(address, user)) ?? 0) < Math.max(1, share - 1)
  }

  #shareOfApp(): number {
    if (!this.#appsMeet.wasMeeting) return Number.POSITIVE_INFINITY
    return Math.max(1, Math.min(this.#places - 1, Math.ceil((this.#places * 3) / 4)))
  }

  #shareOfAddress(): number {
    const others = this.#addressesMeet.wasMeeting
    return Math.max(1, others ? Math.floor(this.#places / 2) : this.#places - 1)
  }

  #addressOf(party: Party): Address {
    let app = this.#apps.get(party.app)
    if (!app) {
      app = { id: party.app, running: 0, waiting: 0, addresses: new Map(), users: new Map() }
      this.#apps.set(party.app, app)
    }
    let address = app.addresses.get(party.address)
    if (!address) {
      address = { app, id: party.address, running: 0, waiting: 0, rows: new Map() }
      app.addresses.set(party.address, address)
    }
    return address
  }

  /** Forgets who is not here any more. A few are kept: most who come again soon are the same. */
  #tidy(address: Address): void {
    const { app } = address
    if (address.running === 0 && address.waiting === 0 && app.addresses.size > KEPT) app.addresses.delete(address.id)
    if (app.running === 0 && app.waiting === 0 && this.#apps.size > KEPT) this.#apps.delete(app.id)
  }
}

/** All anonymous callers of an address count as one user. */
function userAt({ id }: Address, user: string): string {
  return user || id
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
}
