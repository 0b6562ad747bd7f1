import type { Log } from '../log.ts'
import type { ChallengeType, Order } from './acme-order.ts'
import { AuthorityBusy } from './acme-requests.ts'
import { type CertificateStatus, type Certificates, datesOf } from './certificates.ts'
import { covers, type KeyPair, readKeyPair } from './key-pair.ts'
import { afterFailure, afterOrder, afterRestart, noOrders, type OrderState, parseState } from './order-state.ts'
import { renewalIdentifier, renewalTime } from './renewal-time.ts'
import type { TlsStore } from './tls-store.ts'

/** Milliseconds after which an order is given up, and after which another node may order if this one has died. */
const ORDER_TIMEOUT_MS = 5 * 60_000
const ORDERING_LEASE_MS = ORDER_TIMEOUT_MS + 60_000
/** Milliseconds between two looks at a shared store, while a certificate is missing and afterwards. */
const LOOK_MS = { missing: 3_000, usual: 60_000 }
/** Maximum milliseconds between two checks. Longer timers are inexact, and the clock of a suspended machine stands still. */
const MAX_PAUSE_MS = 3_600_000
const MIN_PAUSE_MS = 200
/** Milliseconds between two requests for the renewal time that the authority suggests. */
const INFORMATION_INTERVAL_MS = 6 * 3_600_000
/** Share of the lifetime below which failed renewals are logged as errors. */
const URGENT = 1 / 6

/** Places orders with a certificate authority (`acme-order.ts`). */
interface Orders {
  place(order: Order): Promise<{ readonly cert: string; readonly key: string }>
  renewalWindow(identifier: string): Promise<{ readonly from: number; readonly to: number } | null>
}

export interface ManagedCertificatesOptions {
  /** Host names, each of which gets its own certificate, so that one with wrong DNS records does not affect the others. */
  readonly names: readonly string[]
  /** URL of the ACME directory. */
  readonly directory: string
  readonly store: TlsStore
  readonly orders: Orders
  /** Challenges in the order in which they are tried. */
  readonly challenges: readonly ChallengeType[]
  readonly log: Log
  /** Returns milliseconds since 1970. */
  readonly now?: () => number
  /** Returns a number from 0 to 1. */
  readonly random?: () => number
}

/** A host name with its certificate. Times are milliseconds since 1970. */
interface Managed {
  readonly name: string
  pair: KeyPair | null
  /** The stored pair in PEM; `''` for none. */
  stored: string
  state: OrderState
  renewAt: number
  /** When the authority's suggestion is requested next. */
  askAt: number
  /** Until then, another node orders, or the store has failed. */
  idleUntil: number
}

/**
 * Certificates that are ordered and renewed automatically. Only the configured names are ordered, whatever clients ask for. While
 * an order fails, the previous certificate stays in use.
 */
export class ManagedCertificates implements Certificates {
  readonly #options: ManagedCertificatesOptions
  readonly #now: () => number
  readonly #random: () => number
  readonly #managed: readonly Managed[]
  readonly #listeners: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: ManagedCertificatesOptions) {
    const { names, directory, now = Date.now, random = Math.random } = options
    this.#options = options
    this.#now = now
    this.#random = random
    this.#managed = names.map((name) => ({
      name,
      pair: null,
      stored: '',
      state: noOrders(directory, null),
      renewAt: 0,
      askAt: 0,
      idleUntil: 0,
    }))
  }

  pairFor(name: string | undefined): KeyPair | null {
    const found = this.#managed.find((managed) => managed.name === name) ?? this.#managed[0]
    return found?.pair ?? null
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  status(): readonly CertificateStatus[] {
    return this.#managed.map(({ name, pair, state, renewAt }) => ({
      names: [name],
      source: 'acme',
      ...datesOf(pair, this.#now()),
      nextAttempt: new Date(Math.max(renewAt, state.notBefore)),
      lastError: state.reason === null ? null : { at: new Date(state.attemptedAt), reason: state.reason },
    }))
  }

  /** Loads the stored certificates. */
  async load(): Promise<void> {
    for (const managed of this.#managed) {
      await this.#read(managed)
      managed.state = afterRestart(managed.state)
    }
  }

  /**
   * Begins to order and renew. The server must listen, because the authority connects to it.
   * @returns resolves when each missing certificate was ordered once, successfully or not
   */
  async start(): Promise<void> {
    this.#round = this.#runRound()
    await this.#round
  }

  /** Ends the renewals, and waits for a running order for a moment at most: the authority keeps its state. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #runRound(): Promise<void> {
    for (const managed of this.#managed) {
      if (this.#isStopped) return
      try {
        await this.#maintain(managed)
      } catch (error) {
        managed.idleUntil = this.#now() + LOOK_MS.usual
        this.#options.log.warn({ name: managed.name, error }, 'checking certificate failed')
      }
    }
    this.#scheduleRound()
  }

  #scheduleRound(): void {
    if (this.#isStopped) return
    const { isShared } = this.#options.store
    const pauses = this.#managed.map((managed) => {
      const look = isShared ? lookInterval(managed) : MAX_PAUSE_MS
      const ask = managed.pair ? managed.askAt : Number.POSITIVE_INFINITY
      return Math.min(look, Math.min(dueAt(managed), ask) - this.#now())
    })
    const pause = Math.max(MIN_PAUSE_MS, Math.min(MAX_PAUSE_MS, ...pauses))
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound()
    }, pause).unref()
  }

  async #maintain(managed: Managed): Promise<void> {
    const { store } = this.#options
    if (store.isShared) await this.#read(managed)
    await this.#askForRenewalTime(managed)
    if (!this.#isDue(managed)) return
    const release = await store.acquireOrdering(ORDERING_LEASE_MS)
    if (!release) {
      managed.idleUntil = this.#now() + lookInterval(managed)
      return
    }
    try {
      // Another node may have ordered since.
      if (store.isShared) await this.#read(managed)
      if (this.#isDue(managed)) await this.#order(managed)
    } finally {
      await release()
    }
  }

  #isDue(managed: Managed): boolean {
    return dueAt(managed) <= this.#now()
  }

  async #order(managed: Managed): Promise<void> {
    const { challenges, orders, store, log, directory } = this.#options
    const { name, pair, state } = managed
    const isRenewal = pair !== null && state.issuedBy === directory
    // Stored first: a crash during the order counts as a failure.
    await this.#fail(managed, 'The order was interrupted.', null)
    try {
      const { cert, key } = await inTime(
        orders.place({
          name,
          type: challenges[state.failures % challenges.length]!,
          replaces: isRenewal ? renewalIdentifier(pair.x509) : null,
        }),
      )
      const ordered = readKeyPair(cert, key)
      const text = `${key.trim()}\n${cert.trim()}\n`
      await store.put(pairKey(name), text)
      managed.state = afterOrder(directory, ordered.validUntil.getTime() - ordered.validFrom.getTime(), this.#now())
      await store.put(stateKey(name), JSON.stringify(managed.state))
      this.#use(managed, ordered, text)
      log.info({ name, validUntil: ordered.validUntil }, 'certificate ordered')
    } catch (error) {
      const { message } = error as Error
      managed.state = state
      await this.#fail(managed, message, error instanceof AuthorityBusy ? error.retryAfterMs : null)
      const fields = { name, reason: message, nextAttempt: new Date(managed.state.notBefore) }
      if (isUrgent(pair, this.#now())) log.error(fields, 'ordering certificate failed')
      else log.warn(fields, 'ordering certificate failed')
    }
  }

  async #fail(managed: Managed, reason: string, retryAfterMs: number | null): Promise<void> {
    managed.state = afterFailure(managed.state, { now: this.#now(), random: this.#random(), reason, retryAfterMs })
    await this.#options.store.put(stateKey(managed.name), JSON.stringify(managed.state))
  }

  /** Reads the pair and the state from the store, where another node may have changed them. */
  async #read(managed: Managed): Promise<void> {
    const { store, log, directory } = this.#options
    const { name } = managed
    const state = await store.get(stateKey(name))
    const stored = (await store.get(pairKey(name))) ?? ''
    if (state !== null) managed.state = parseState(state) ?? managed.state
    if (stored !== managed.stored) {
      try {
        this.#use(managed, parsePair(stored), stored)
      } catch (error) {
        managed.stored = stored
        log.warn({ name, reason: (error as Error).message }, 'stored certificate is invalid')
      }
    }
    // After a change of --acme-directory, the certificate of the previous authority stays in use until the new one is ordered.
    if (managed.state.directory !== directory) managed.state = noOrders(directory, managed.state.issuedBy)
    if (managed.state.issuedBy !== directory) managed.renewAt = 0
  }

  #use(managed: Managed, pair: KeyPair, stored: string): void {
    managed.pair = pair
    managed.stored = stored
    managed.renewAt = covers(pair, managed.name) ? renewalTime(pair, this.#random()) : 0
    managed.askAt = 0
    for (const listener of this.#listeners) listener()
  }

  /** Takes over the renewal time that the authority suggests: it may have to revoke the certificate earlier. */
  async #askForRenewalTime(managed: Managed): Promise<void> {
    const { pair, name } = managed
    if (!pair || managed.askAt > this.#now()) return
    managed.askAt = this.#now() + INFORMATION_INTERVAL_MS
    const identifier = renewalIdentifier(pair.x509)
    if (identifier === null) return
    try {
      const window = await this.#options.orders.renewalWindow(identifier)
      // A time of an earlier response that is still in the window is kept, so that repeated requests do not postpone it.
      if (window && (managed.renewAt < window.from || managed.renewAt > window.to))
        managed.renewAt = window.from + (window.to - window.from) * this.#random()
    } catch (error) {
      this.#options.log.debug({ name, reason: (error as Error).message }, 'requesting renewal time failed')
    }
  }
}

function pairKey(name: string): string {
  return `${name}.pem`
}

function stateKey(name: string): string {
  return `${name}.json`
}

/** Returns when the next order is due. */
function dueAt({ renewAt, state, idleUntil }: Managed): number {
  return Math.max(renewAt, state.notBefore, idleUntil)
}

function lookInterval({ pair }: Managed): number {
  return pair === null ? LOOK_MS.missing : LOOK_MS.usual
}

/** Parses a stored key with the chain after it. */
function parsePair(stored: string): KeyPair {
  const chain = Math.max(0, stored.indexOf('-----BEGIN CERTIFICATE'))
  return readKeyPair(stored.slice(chain), stored.slice(0, chain))
}

function isUrgent(pair: KeyPair | null, now: number): boolean {
  if (!pair) return true
  const { validFrom, validUntil } = pair
  return validUntil.getTime() - now < (validUntil.getTime() - validFrom.getTime()) * URGENT
}

/** @throws Error when an order takes too long */
async function inTime<T>(order: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const text = `The order was not complete after ${ORDER_TIMEOUT_MS / 60_000} minutes.`
    timer = setTimeout(() => reject(new Error(text)), ORDER_TIMEOUT_MS).unref()
  })
  try {
    return await Promise.race([order, late])
  } finally {
    clearTimeout(timer)
  }
}
