import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs, timeFor } from '../../test/support/runs.ts'
import { createLog } from '../log.ts'
import type { Bus } from './bus.ts'
import { ReplicatedCache } from './replicated-cache.ts'

const KEYS = ['a', 'b', 'c', 'd']
/** Values of two keys share a subject, like two tokens of one user. */
const SUBJECTS: Readonly<Record<string, string>> = { a: 'x', b: 'x', c: 'y', d: 'z' }

/** A row of the table: its key, and how often its subject had been changed when it was read. */
interface Value {
  readonly key: string
  readonly version: number
}

type Step =
  | { readonly kind: 'find' | 'get' | 'change' | 'changeUnpublished'; readonly key: string }
  /** The oldest message in transit arrives. */
  | { readonly kind: 'hear' | 'hearAll' | 'loseBus' | 'regainBus' }
  /** One of the reads in progress is executed in the database, or its response arrives. */
  | { readonly kind: 'look' | 'answer' | 'fail'; readonly which: number }

const key = fc.constantFrom(...KEYS)
const which = fc.nat({ max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('find' as const, 'get' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('changeUnpublished' as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hear' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hearAll' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('loseBus' as const, 'regainBus' as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('look' as const, 'answer' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), which }) },
)

/** A cache over a table that other nodes change. Messages and reads take as long as the steps determine. */
class World {
  readonly #versions = new Map<string, number>()
  /** The latest version of each subject that this node was notified of. */
  readonly #received = new Map<string, number>()
  /** Messages in transit to this node: the subject and its version. */
  #messages: [subject: string, version: number][] = []
  #reads: { key: string; seen: Value | null; resolve(value: Value): void; reject(error: Error): void }[] = []
  readonly #gaps = new Set<() => void>()
  #listener: (message: string) => void = () => {}
  #connected = true
  readonly #cache: ReplicatedCache<Value>
  readonly #named: boolean
  readonly #pending: Promise<void>[] = []

  constructor(named: boolean, size: number) {
    this.#named = named
    const unused = () => Promise.reject(new Error('not used'))
    const world = this
    const bus: Bus = {
      publish: unused,
      subscribe: (_, listener) => {
        this.#listener = listener
        return () => {}
      },
      subscribed: async () => {},
      get connected() {
        return world.#connected
      },
      onGap: (listener) => {
        this.#gaps.add(listener)
        return () => {}
      },
      start: unused,
      stop: unused,
    }
    this.#cache = new ReplicatedCache<Value>({
      bus,
      topic: 'things',
      load: (key) => new Promise((resolve, reject) => void this.#reads.push({ key, seen: null, resolve, reject })),
      age: 1_000_000,
      size,
      ...(named && { subjectOf: (value: Value) => SUBJECTS[value.key]! }),
      risk: 'others may be wrong',
      log: createLog('silent'),
    })
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'get': {
        const known = this.#cache.get(step.key)
        if (known) this.#check(step.key, known, this.#atLeast(step.key))
        // While the bus is not connected, nothing is cached.
        expect(this.#connected || known === undefined).toBe(true)
        break
      }
      case 'find': {
        const min = this.#atLeast(step.key)
        const found = this.#cache.find(step.key)
        if (!(found instanceof Promise)) expect(this.#connected).toBe(true)
        const checked = Promise.resolve(found).then(
          (value) => this.#check(step.key, value, min),
          (error: Error) => expect(error.message).toBe('the database is away'),
        )
        this.#pending.push(checked)
        break
      }
      case 'change':
      case 'changeUnpublished':
        this.#change(this.#subject(step.key), step.kind === 'change')
        break
      case 'hear':
        this.#receive(this.#messages.shift())
        break
      case 'hearAll':
        if (!this.#connected) break
        for (const key of KEYS) this.#change(this.#subject(key), false)
        for (const [subject, version] of this.#versions) this.#received.set(subject, version)
        this.#listener('')
        break
      case 'loseBus':
        if (this.#connected) this.#setConnected(false)
        break
      case 'regainBus':
        if (!this.#connected) this.#setConnected(true)
        break
      case 'look': {
        const read = this.#reads.filter(({ seen }) => !seen)[step.which]
        if (read) read.seen = this.#row(read.key)
        break
      }
      case 'answer':
      case 'fail': {
        const [read] = this.#reads.splice(step.which, 1)
        if (step.kind === 'fail') read?.reject(new Error('the database is away'))
        else read?.resolve(read.seen ?? this.#row(read.key))
        break
      }
    }
    // Lets code that awaits a response continue.
    for (let iteration = 0; iteration < 5; iteration++) await null
  }

  async end(): Promise<void> {
    for (const { key, seen, resolve } of this.#reads.splice(0)) resolve(seen ?? this.#row(key))
    await Promise.all(this.#pending)
  }

  #subject(key: string): string {
    return this.#named ? SUBJECTS[key]! : key
  }

  #row(key: string): Value {
    return { key, version: this.#versions.get(this.#subject(key)) ?? 0 }
  }

  /** Returns the minimum version that a request may see from now on. */
  #atLeast(key: string): number {
    return this.#received.get(this.#subject(key)) ?? 0
  }

  #check(key: string, value: Value, min: number): void {
    expect(value.key).toBe(key)
    expect(value.version).toBeGreaterThanOrEqual(min)
  }

  #change(subject: string, isPublished: boolean): void {
    const version = (this.#versions.get(subject) ?? 0) + 1
    this.#versions.set(subject, version)
    if (isPublished && this.#connected) this.#messages.push([subject, version])
  }

  #receive(message: [subject: string, version: number] | undefined): void {
    if (!message || !this.#connected) return
    const [subject, version] = message
    this.#received.set(subject, Math.max(version, this.#received.get(subject) ?? 0))
    this.#listener(subject)
  }

  /** Drops the messages in transit. Later requests must see at least the current versions. */
  #setConnected(connected: boolean): void {
    this.#connected = connected
    this.#messages = []
    for (const [subject, version] of this.#versions) this.#received.set(subject, version)
    for (const gap of this.#gaps) gap()
  }
}

it.each([
  { name: 'its key', named: false },
  { name: 'the subject of its value', named: true },
])(
  'never returns a value older than the last message received, where messages name $name',
  { timeout: timeFor(60_000) },
  async ({ named }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 120, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, size) => {
          const world = new World(named, size)
          for (const one of steps) await world.take(one)
          await world.end()
        },
      ),
      runs(1000),
    )
  },
)
