import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeCertificate } from '../../test/support/made-certificate.ts'
import type { Log } from '../log.ts'
import type { Order } from './acme-order.ts'
import { AuthorityBusy } from './acme-requests.ts'
import { ManagedCertificates } from './managed-certificates.ts'
import type { TlsStore } from './tls-store.ts'

const NAME = 'api.example.org'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LIFETIME = 6 * DAY
const STEP = 4 * MINUTE
const DIRECTORY = 'https://acme.example.org/directory'

/** A store in memory, shared by servers of a test. */
class MemoryStore implements TlsStore {
  readonly isShared: boolean
  readonly content = new Map<string, string>()
  isOrdering = false

  constructor(isShared = false) {
    this.isShared = isShared
  }

  async get(key: string) {
    return this.content.get(key) ?? null
  }

  async put(key: string, text: string) {
    this.content.set(key, text)
  }

  async acquireOrdering() {
    if (!this.isShared) return async () => {}
    if (this.isOrdering) return null
    this.isOrdering = true
    return async () => {
      this.isOrdering = false
    }
  }
}

/** An authority whose orders succeed until `failure` is set. */
class Authority {
  readonly orders: Order[] = []
  failure: Error | null = null
  window: { from: number; to: number } | null = null
  pending = 0

  async place(order: Order) {
    this.orders.push(order)
    if (this.failure) throw this.failure
    this.pending++
    authorities.add(this)
    try {
      return await this.#issue(order)
    } finally {
      this.pending--
    }
  }

  async #issue(order: Order) {
    const from = new Date(Math.floor(Date.now() / 1000) * 1000)
    return makeCertificate([order.name], { from, until: new Date(from.getTime() + LIFETIME) })
  }

  async renewalWindow() {
    return this.window
  }
}

const authorities = new Set<Authority>()
const running: ManagedCertificates[] = []

type Line = Record<string, unknown>

function levelLog(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = []
  const note = (level: string) => (fields: object, text: string) => void lines.push({ ...fields, level, text })
  const log: Log = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    child: () => log,
    isLevelEnabled: () => true,
  }
  return { log, lines }
}

async function start(authority: Authority, store: TlsStore, directory = DIRECTORY, names: readonly string[] = [NAME]) {
  const { log, lines } = levelLog()
  const certificates = new ManagedCertificates({
    names,
    directory,
    store,
    orders: authority,
    challenges: ['http-01', 'tls-alpn-01'],
    log,
    random: () => 0,
  })
  running.push(certificates)
  await certificates.load()
  await certificates.start()
  return { certificates, lines }
}

/** Lets time pass, with all work that becomes due. Keys are made in real time, less than the timeout of an order. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP) {
    await vi.advanceTimersByTimeAsync(Math.min(left, STEP))
    while ([...authorities].some(({ pending }) => pending > 0)) await new Promise(setImmediate)
    // The certificate is stored and used.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z'), toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  for (const certificates of running.splice(0)) certificates.stop()
  vi.useRealTimers()
  authorities.clear()
})

describe('certificates that are ordered automatically', () => {
  it('are ordered once per name, and served to clients without or with an unknown name', async () => {
    const authority = new Authority()
    const { certificates } = await start(authority, new MemoryStore(), DIRECTORY, [NAME, 'files.example.org'])
    expect(authority.orders.map(({ name }) => name)).toEqual([NAME, 'files.example.org'])
    expect(certificates.pairFor('files.example.org')!.x509.subject).toBe('CN=files.example.org')
    for (const name of [NAME, undefined, 'unknown.example.org', '__proto__'])
      expect(certificates.pairFor(name)!.x509.subject).toBe(`CN=${NAME}`)
    await pass(3 * DAY)
    expect(authority.orders).toHaveLength(2)
  })

  it('are renewed when a third of the lifetime is left, and name the certificate that they replace', async () => {
    const authority = new Authority()
    const { certificates } = await start(authority, new MemoryStore())
    const changed = vi.fn()
    certificates.onChange(changed)
    const first = certificates.pairFor(NAME)
    await pass(4 * DAY - HOUR)
    expect(authority.orders).toHaveLength(1)
    await pass(2 * HOUR)
    expect(authority.orders).toHaveLength(2)
    expect(authority.orders[1]!.replaces).toMatch(/^[\w-]+\.[\w-]+$/)
    expect(certificates.pairFor(NAME)).not.toBe(first)
    expect(changed).toHaveBeenCalledTimes(1)
    expect(certificates.status()[0]!.daysLeft).toBeGreaterThan(5.9)
  })

  it('are renewed earlier if the authority suggests it, but not without end', async () => {
    const authority = new Authority()
    await start(authority, new MemoryStore())
    await pass(DAY)
    authority.window = { from: Date.now() - DAY, to: Date.now() - HOUR }
    await pass(7 * HOUR)
    expect(authority.orders.length).toBeGreaterThanOrEqual(2)
    const before = authority.orders.length
    await pass(10 * HOUR)
    expect(authority.orders.length - before).toBeLessThanOrEqual(10)
  })

  it('stay in use while orders fail, with growing pauses and alternating challenges', async () => {
    const authority = new Authority()
    const { certificates, lines } = await start(authority, new MemoryStore())
    const first = certificates.pairFor(NAME)
    authority.failure = new Error('DNS problem')
    await pass(4 * DAY + HOUR)
    expect(authority.orders.slice(1).map(({ type }) => type)).toEqual([
      'http-01',
      'tls-alpn-01',
      'http-01',
      'tls-alpn-01',
    ])
    expect(certificates.pairFor(NAME)).toBe(first)
    expect(certificates.status()[0]!.lastError!.reason).toBe('DNS problem')
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', reason: 'DNS problem' }))
    await pass(1.5 * DAY)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', reason: 'DNS problem' }))
    expect(authority.orders.length).toBeLessThan(15)
    authority.failure = null
    await pass(10 * HOUR)
    expect(certificates.pairFor(NAME)).not.toBe(first)
    expect(certificates.status()[0]!.lastError).toBeNull()
  })

  it('are not ordered again by restarts, except 15 minutes after the last attempt', async () => {
    const authority = new Authority()
    authority.failure = new Error('DNS problem')
    const store = new MemoryStore()
    for (let restart = 0; restart < 10; restart++) (await start(authority, store)).certificates.stop()
    expect(authority.orders).toHaveLength(1)
    await pass(3 * MINUTE)
    for (let restart = 0; restart < 10; restart++) (await start(authority, store)).certificates.stop()
    expect(authority.orders).toHaveLength(2)
    await pass(9 * MINUTE)
    for (let restart = 0; restart < 10; restart++) (await start(authority, store)).certificates.stop()
    await pass(5 * HOUR)
    await start(authority, store)
    expect(authority.orders).toHaveLength(3)
  })

  it('are not ordered before the time that the authority names, whatever restarts', async () => {
    const authority = new Authority()
    authority.failure = new AuthorityBusy('too many certificates', 30 * HOUR)
    const store = new MemoryStore()
    const { certificates } = await start(authority, store)
    await pass(20 * HOUR)
    certificates.stop()
    await start(authority, store)
    expect(authority.orders).toHaveLength(1)
    authority.failure = null
    await pass(10 * HOUR + MINUTE)
    expect(authority.orders).toHaveLength(2)
  })

  it('count an order that a crash interrupted as failed', async () => {
    const store = new MemoryStore()
    const crashed = new Authority()
    crashed.place = () => new Promise(() => {})
    void start(crashed, store)
    await pass(1)
    running.at(-1)!.stop()
    const authority = new Authority()
    await start(authority, store)
    expect(authority.orders).toHaveLength(0)
    await pass(3 * MINUTE)
    expect(authority.orders).toHaveLength(1)
  })

  it('are loaded after a restart, and stay in use until another authority has issued one', async () => {
    const authority = new Authority()
    const store = new MemoryStore()
    const before = await start(authority, store)
    const again = await start(authority, store)
    expect(authority.orders).toHaveLength(1)
    expect(again.certificates.pairFor(NAME)!.cert.trim()).toBe(before.certificates.pairFor(NAME)!.cert.trim())

    const other = new Authority()
    other.failure = new Error('unknown account')
    const { certificates } = await start(other, store, 'https://other.example.org/directory')
    expect(certificates.pairFor(NAME)!.cert.trim()).toBe(before.certificates.pairFor(NAME)!.cert.trim())
    other.failure = null
    await pass(HOUR)
    expect(other.orders.at(-1)!.replaces).toBeNull()
    expect(certificates.pairFor(NAME)!.cert).not.toBe(before.certificates.pairFor(NAME)!.cert)
  })

  it('replace a damaged stored certificate', async () => {
    const store = new MemoryStore()
    await store.put(`${NAME}.pem`, 'damaged')
    await store.put(`${NAME}.json`, '{')
    const authority = new Authority()
    const { certificates, lines } = await start(authority, store)
    expect(lines).toContainEqual(expect.objectContaining({ text: 'stored certificate is invalid' }))
    expect(certificates.pairFor(NAME)).not.toBeNull()
  })

  it('are ordered by one of several nodes, and used by all', async () => {
    const store = new MemoryStore(true)
    const [one, other] = [new Authority(), new Authority()]
    const nodes = await Promise.all([start(one, store), start(other, store)])
    await pass(10_000)
    expect(one.orders.length + other.orders.length).toBe(1)
    const serials = nodes.map(({ certificates }) => certificates.pairFor(NAME)!.x509.serialNumber)
    expect(serials[0]).toBe(serials[1])
    await pass(4 * DAY + HOUR)
    expect(one.orders.length + other.orders.length).toBe(2)
    const renewed = nodes.map(({ certificates }) => certificates.pairFor(NAME)!.x509.serialNumber)
    expect(renewed[0]).toBe(renewed[1])
    expect(renewed[0]).not.toBe(serials[0])
  })
})
