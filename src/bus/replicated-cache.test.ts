import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import { createLog, type Log } from '../log.ts'
import { ReplicatedCache, type ReplicatedCacheOptions } from './replicated-cache.ts'

// Time passes only when a test advances it.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Options = Partial<ReplicatedCacheOptions<string | null>>

/** Creates a cache over a table, whose reads end when a test ends them. */
function makeCache(options: Options = {}) {
  const link = breakableBus()
  const table = new Map<string, string>()
  const reads: { readonly key: string; end(error?: Error): Promise<void> }[] = []
  const cache = new ReplicatedCache<string | null>({
    bus: link.bus,
    topic: 'things',
    load: (key) => {
      const value = table.get(key) ?? null
      return new Promise((resolve, reject) => {
        const end = async (error?: Error) => {
          if (error) reject(error)
          else resolve(value)
          await vi.advanceTimersByTimeAsync(0)
        }
        reads.push({ key, end })
      })
    },
    age: 1000,
    size: 10,
    risk: 'others may be wrong',
    log: createLog('silent'),
    ...options,
  })
  /** Reads a value, so that it is cached. */
  const read = async (key: string) => {
    const found = cache.find(key)
    await reads.at(-1)!.end()
    return found
  }
  return { ...link, table, reads, cache, read }
}

it('returns a cached value at once, until it expires', async () => {
  const { table, reads, cache, read } = makeCache()
  table.set('a', 'one')
  expect(cache.get('a')).toBeUndefined()
  expect(await read('a')).toBe('one')
  expect([cache.get('a'), cache.find('a')]).toEqual(['one', 'one'])
  vi.advanceTimersByTime(1000)
  expect(cache.get('a')).toBeUndefined()
  expect(reads).toHaveLength(1)
})

it('shares one read, and its failure, among concurrent requests', async () => {
  const { table, reads, cache } = makeCache()
  table.set('a', 'one')
  const lookups = [cache.find('a'), cache.find('a'), cache.find('b')]
  expect(reads.map(({ key }) => key)).toEqual(['a', 'b'])
  for (const { end } of reads) await end()
  expect(await Promise.all(lookups)).toEqual(['one', 'one', null])

  const failing = [cache.find('c'), cache.find('c')]
  const failed = Promise.allSettled(failing)
  await reads.at(-1)!.end(new Error('the database is away'))
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  void cache.find('c')
  expect(reads.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'c'])
})

it('does not cache that a value does not exist', async () => {
  const { table, cache, read } = makeCache()
  expect(await read('a')).toBeNull()
  table.set('a', 'one')
  expect(await read('a')).toBe('one')
  expect(cache.get('a')).toBe('one')
})

it('drops changed values, on messages of one key or of all', async () => {
  const { table, cache, read, bus } = makeCache()
  for (const key of ['a', 'b', 'c']) {
    table.set(key, `${key}1`)
    await read(key)
  }
  await cache.publishChange('a')
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'b1', 'c1'])
  await bus.publish('things', '')
  expect(['b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined])
})

it('drops values by their subject, where messages name that', async () => {
  const received: string[] = []
  const changed = (subject: string) => received.push(`${subject} ${cache.get('token1') ?? '-'}`)
  const { table, cache, read, reads } = makeCache({ subjectOf: (value) => value, changed })
  for (const [key, value] of [
    ['token1', 'tom'],
    ['token2', 'tom'],
    ['token3', 'ann'],
  ] as const) {
    table.set(key, value)
    await read(key)
  }
  // The subject of a value being read is unknown, so it may be the one that has changed.
  table.set('token4', 'tom')
  const lookups = cache.find('token4')
  await cache.publishChange('tom')
  await reads.at(-1)!.end()
  expect(await lookups).toBe('tom')
  expect(['token1', 'token2', 'token3', 'token4'].map((key) => cache.get(key))).toEqual([
    undefined,
    undefined,
    'ann',
    undefined,
  ])
  expect(received).toEqual(['tom -'])
})

it('does not cache a value that changed while it was read, and does not return it to later requests', async () => {
  const { table, cache, reads } = makeCache()
  table.set('a', 'old')
  table.set('b', 'old')
  const before = cache.find('a')
  const other = cache.find('b')
  table.set('a', 'new')
  await cache.publishChange('a')
  const after = cache.find('a')
  // The later read ends first.
  await reads[2]!.end()
  await reads[0]!.end()
  await reads[1]!.end()
  expect([await before, await after, await other]).toEqual(['old', 'new', 'old'])
  expect([cache.get('a'), cache.get('b')]).toEqual(['new', 'old'])
})

it('caches nothing while the bus is not connected, and clears the cache when it is back', async () => {
  const { table, cache, read, reads, breakOff, restore } = makeCache()
  table.set('a', 'one')
  await read('a')
  const reading = cache.find('b')
  breakOff()
  expect(cache.get('a')).toBeUndefined()
  await reads.at(-1)!.end()
  await read('a')
  expect([await reading, cache.get('a')]).toEqual([null, undefined])
  const meanwhile = cache.find('a')
  table.set('a', 'two')
  restore()
  await reads.at(-1)!.end()
  expect([await meanwhile, cache.get('a')]).toEqual(['one', undefined])
  expect(await read('a')).toBe('two')
})

it('evicts the oldest values beyond its maximum weight', async () => {
  const { table, cache, read } = makeCache({ size: 6, weigh: (value) => value.length })
  for (const key of ['a', 'b', 'c']) {
    table.set(key, 'xxx')
    await read(key)
  }
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'xxx', 'xxx'])
})

it('logs a change that could not be published', async () => {
  const warnings: unknown[] = []
  const log = { warn: (fields: object, text: string) => warnings.push([fields, text]) } as unknown as Log
  const { cache, breakOff } = makeCache({ log })
  breakOff()
  await cache.publishChange('a')
  expect(warnings).toEqual([
    [{ error: 'cut off', effect: 'others may be wrong', seconds: 1 }, 'publishing change to other nodes failed'],
  ])
})

it('publishes the change once other nodes can be reached again', async () => {
  const received: string[] = []
  const { cache, bus, breakOff, restore } = makeCache()
  bus.subscribe('things', (subject) => void received.push(subject))
  breakOff()
  await cache.publishChange('a')
  await vi.advanceTimersByTimeAsync(300)
  await cache.publishChange('b')
  await vi.advanceTimersByTimeAsync(300)
  expect(received).toEqual([])
  restore()
  await vi.advanceTimersByTimeAsync(1000)
  expect(received).toEqual(['a', 'b'])
  expect(vi.getTimerCount()).toBe(0)
})

it('publishes nothing once other nodes no longer cache the old value', async () => {
  const received: string[] = []
  const { cache, bus, breakOff, restore } = makeCache()
  bus.subscribe('things', (subject) => void received.push(subject))
  breakOff()
  await cache.publishChange('a')
  vi.advanceTimersByTime(1000)
  restore()
  await vi.advanceTimersByTimeAsync(1000)
  expect(received).toEqual([])
})

it('publishes a change of everything when there are too many subjects', async () => {
  const received: string[] = []
  const { cache, bus, breakOff, restore } = makeCache()
  bus.subscribe('things', (subject) => void received.push(subject))
  breakOff()
  for (let n = 0; n < 1500; n++) await cache.publishChange(String(n))
  restore()
  await vi.advanceTimersByTimeAsync(500)
  expect(received[0]).toBe('')
  expect(received.length).toBeLessThan(1000)
})

it('ignores messages once it is stopped', async () => {
  const received: string[] = []
  const { cache, bus } = makeCache({ changed: (subject) => received.push(subject) })
  cache.stop()
  await bus.publish('things', 'a')
  expect(received).toEqual([])
})
