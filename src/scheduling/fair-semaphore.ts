import { errors } from '../errors.ts'
import { mayHave } from './address-share.ts'
import type { Principal } from './principal.ts'
import { RecentContention } from './recent-contention.ts'

export interface SemaphoreOptions {
  /** Maximum number of slots held at a time. */
  readonly slots: number
  /** Maximum number of waiting principals: at each address beyond its share of `inAll`, for each app, and in all. */
  readonly waiting: { readonly atAddress: number; readonly ofApp: number; readonly inAll: number }
  /** Maximum wait in milliseconds. */
  readonly timeoutMs: number
}

/** How many idle apps, and idle addresses of each app, are kept. */
const MAX_IDLE = 32

interface App {
  readonly id: string
  running: number
  waiting: number
  readonly addresses: Map<string, Address>
  /** How many slots each user holds, at all addresses. */
  readonly users: Map<string, number>
}

interface Address {
  readonly app: App
  readonly id: string
  running: number
  waiting: number
  /** The waiting principals, by user. */
  readonly lines: Map<string, Set<Waiting>>
}

interface Waiting {
  readonly principal: Principal
  readonly address: Address
  /** Ends the wait, with a slot or a refusal. */
  readonly settle: (refusal?: Error) => void
}

/**
 * A semaphore that is fair between principals. While slots are free, a principal gets one at once. Otherwise slots are granted
 * round robin: between apps, within an app between its addresses, at an address between its users; to one user in order of
 * arrival. No principal holds more than a share of the slots, so that the next one need not wait for slow work of another:
 *
 * - an address holds at most half of the slots; all but one if no other address arrived recently
 * - a user holds at most one less than an address, so that other users of the address have one left
 * - an app holds at most three quarters; all of them if no other app arrived recently
 *
 * Work without an address is bounded only by the share of the app. The number of waiting principals and their wait are bounded.
 */
export class FairSemaphore {
  readonly #options: SemaphoreOptions
  readonly #apps = new Map<string, App>()
  readonly #addressContention = new RecentContention()
  readonly #appContention = new RecentContention()
  #slots: number
  #running = 0
  #waiting = 0

  constructor(options: SemaphoreOptions) {
    this.#options = options
    this.#slots = options.slots
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  get slots(): number {
    return this.#slots
  }

  /** Changes the number of slots. Slots that are already held stay held when it is lowered. */
  set slots(slots: number) {
    this.#slots = slots
    this.#fill()
  }

  /**
   * Acquires a slot, to be returned with `release`.
   * @returns undefined when a slot was free, otherwise a promise that resolves when the slot is acquired
   * @throws (as a rejection) ApiError 429 when the principal's own share is full for too long or has too many waiting; 503 when
   * that is true of all principals together; 499 when the client disconnected; the principal's `refusal` when its slot is free
   */
  acquire(principal: Principal): Promise<void> | undefined {
    if (principal.address !== '') {
      this.#addressContention.note(principal.app, principal.address)
      this.#appContention.note(principal.app, '')
    }
    const address = this.#addressOf(principal)
    // Users in other lines wait because their shares are full, so none of them is overtaken.
    const isFirst = address.waiting === 0 || !address.lines.has(principal.user)
    if (isFirst && this.#running < this.#slots && this.#hasShare(address, principal.user)) {
      this.#start(address, principal.user)
      return undefined
    }
    return this.#wait(address, principal)
  }

  release(principal: Principal): void {
    const address = this.#addressOf(principal)
    const { users } = address.app
    const user = userAt(address, principal.user)
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
   * Runs work in a slot. If the work used the event loop, the slot can stay taken for a rest period after it, so that other work
   * runs in the meantime.
   * @param restMs milliseconds of the rest period, 0 when omitted. A function gets the result and returns them; it is not called
   * if the work fails
   * @throws as `acquire`, and what `work` throws
   */
  async run<Result>(
    principal: Principal,
    work: () => Promise<Result>,
    restMs: number | ((result: Result) => number) = 0,
  ): Promise<Result> {
    const wait = this.acquire(principal)
    if (wait) await wait
    let rest = typeof restMs === 'number' ? restMs : 0
    try {
      const result = await work()
      if (typeof restMs === 'function') rest = restMs(result)
      return result
    } finally {
      if (rest > 0) setTimeout(() => this.release(principal), rest)
      else this.release(principal)
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

  async #wait(address: Address, principal: Principal): Promise<void> {
    const refusal = this.#refusal(address)
    if (refusal) {
      this.#tidy(address)
      throw refusal
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        principal,
        address,
        settle: (refusal) => {
          clearTimeout(timer)
          stopListening?.()
          this.#leave(waiting)
          if (refusal) reject(refusal)
          else resolve()
        },
      }
      const timer = setTimeout(() => this.#giveUp(waiting), this.#options.timeoutMs)
      const stopListening = principal.onDisconnect?.(() => waiting.settle(errors.clientDisconnected()))
      this.#join(waiting)
      // Shares may have grown since `acquire` was called.
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
    const isOwnFault = !this.#hasShare(waiting.address, waiting.principal.user)
    waiting.settle(isOwnFault ? errors.tooManyRequests() : errors.unavailable())
  }

  #join(waiting: Waiting): void {
    const { address, principal } = waiting
    const line = address.lines.get(principal.user)
    if (line) line.add(waiting)
    else address.lines.set(principal.user, new Set([waiting]))
    address.waiting++
    address.app.waiting++
    this.#waiting++
  }

  #leave(waiting: Waiting): void {
    const { address, principal } = waiting
    const line = address.lines.get(principal.user)!
    line.delete(waiting)
    if (line.size === 0) address.lines.delete(principal.user)
    address.waiting--
    address.app.waiting--
    this.#waiting--
    this.#tidy(address)
  }

  /** Grants free slots to waiting principals. */
  #fill(): void {
    while (this.#waiting > 0 && this.#running < this.#slots) {
      const next = this.#next()
      if (!next) break
      const refusal = next.principal.refusal?.()
      if (!refusal) this.#start(next.address, next.principal.user)
      next.settle(refusal)
    }
  }

  /** Returns the next waiting principal in round robin, and moves its app, address and user to the end of their lines. */
  #next(): Waiting | undefined {
    for (const app of this.#apps.values()) {
      if (app.waiting === 0 || app.running >= this.#shareOfApp()) continue
      for (const address of app.addresses.values()) {
        if (address.waiting === 0) continue
        for (const [user, line] of address.lines) {
          if (!this.#hasShare(address, user)) continue
          moveToEnd(this.#apps, app.id, app)
          moveToEnd(app.addresses, address.id, address)
          moveToEnd(address.lines, user, line)
          const [first] = line
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
    if (!this.#appContention.isContended) return Number.POSITIVE_INFINITY
    return Math.max(1, Math.min(this.#slots - 1, Math.ceil((this.#slots * 3) / 4)))
  }

  #shareOfAddress(): number {
    const others = this.#addressContention.isContended
    return Math.max(1, others ? Math.floor(this.#slots / 2) : this.#slots - 1)
  }

  #addressOf(principal: Principal): Address {
    let app = this.#apps.get(principal.app)
    if (!app) {
      app = { id: principal.app, running: 0, waiting: 0, addresses: new Map(), users: new Map() }
      this.#apps.set(principal.app, app)
    }
    let address = app.addresses.get(principal.address)
    if (!address) {
      address = { app, id: principal.address, running: 0, waiting: 0, lines: new Map() }
      app.addresses.set(principal.address, address)
    }
    return address
  }

  /** Removes idle addresses and apps. A few are kept, because the same ones usually return soon. */
  #tidy(address: Address): void {
    const { app } = address
    if (address.running === 0 && address.waiting === 0 && app.addresses.size > MAX_IDLE)
      app.addresses.delete(address.id)
    if (app.running === 0 && app.waiting === 0 && this.#apps.size > MAX_IDLE) this.#apps.delete(app.id)
  }
}

/** Returns the user a slot is counted for. All anonymous callers of an address count as one user. */
function userAt({ id }: Address, user: string): string {
  return user || id
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
}
