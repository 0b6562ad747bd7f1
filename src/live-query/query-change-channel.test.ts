import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import type { Bus } from '../bus/bus.ts'
import { localBus } from '../bus/local-bus.ts'
import { parseCondition } from './condition.ts'
import { KnownQueries } from './known-queries.ts'
import { type LiveQuery, liveQuery } from './live-query.ts'
import { QueryChangeChannel } from './query-change-channel.ts'

const log = pino({ level: 'silent' })

/** The queries in the database, by subscriber. */
type Stored = Map<string, LiveQuery[]>

function queryOf(subscriberId: string, className = 'A'): LiveQuery {
  const identity = { subscriberId, className, condition: '{}', userId: null, withAcl: false }
  return liveQuery(identity, parseCondition('{}'))
}

async function node(stored: Stored, bus: Bus) {
  const known = new KnownQueries()
  const faults: Error[] = []
  const table = {
    read: async (ids: readonly string[]) => {
      // As at the beginning of the reading, like the snapshot of a statement.
      const found = ids.flatMap((id) => stored.get(id) ?? [])
      const fault = faults.shift()
      await new Promise(setImmediate)
      if (fault) throw fault
      return found
    },
    outdatedSubscribers: async (id: string) =>
      [...stored.keys()]
        .filter((one) => one > id)
        .sort()
        .slice(0, 2),
  }
  const channel = new QueryChangeChannel({ appId: 'app', bus, alone: false, known, table, log, pause: 1 })
  onTestFinished(() => channel.stop())
  await channel.open()
  return { news: channel, known, faults, knows: () => [...known.subscriberIds].sort() }
}

it('loads all queries when a node opens, whatever their number', async () => {
  const stored: Stored = new Map(['a', 'b', 'c', 'd', 'e'].map((id) => [id, [queryOf(id)]]))
  const { known, knows } = await node(stored, localBus())
  expect(knows()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect([known.size, known.classes.get('A')?.size, known.classes.get('B')]).toEqual([5, 5, undefined])
})

it('resolves when the changing node knows a change, and other nodes follow', async () => {
  const stored: Stored = new Map()
  const bus = localBus()
  const [here, there] = [await node(stored, bus), await node(stored, bus)]
  stored.set('a', [queryOf('a'), queryOf('a', 'B')])
  await here.news.changed('a')
  expect(here.known.size).toBe(2)
  await expect.poll(() => there.known.size).toBe(2)
  stored.set('a', [queryOf('a', 'B')])
  await there.news.changed('a')
  expect(there.known.classes.get('A')).toBeUndefined()
  await expect.poll(() => here.known.size).toBe(1)
})

it('ends with the state of the database after many concurrent changes', async () => {
  const stored: Stored = new Map()
  const bus = localBus()
  const [here, there] = [await node(stored, bus), await node(stored, bus)]
  const work: Promise<void>[] = []
  for (let n = 0; n < 200; n++) {
    const id = `s${n % 10}`
    if (n % 3 === 0) stored.delete(id)
    else stored.set(id, [queryOf(id, `C${n % 7}`)])
    work.push((n % 2 === 0 ? here : there).news.changed(id))
    if (n % 11 === 0) await new Promise(setImmediate)
  }
  await Promise.all(work)
  const expected = [...stored.keys()].sort()
  await expect.poll(here.knows).toEqual(expected)
  await expect.poll(there.knows).toEqual(expected)
})

it('reads new, changed and deleted queries after an outage of the bus', async () => {
  const stored: Stored = new Map([
    ['a', [queryOf('a')]],
    ['b', [queryOf('b')]],
  ])
  const { bus, breakOff, restore: mend } = breakableBus()
  const [here, there] = [await node(stored, bus), await node(stored, bus)]
  breakOff()
  stored.delete('a')
  stored.set('b', [queryOf('b', 'B')])
  stored.set('c', [queryOf('c')])
  for (const id of ['a', 'b', 'c']) await here.news.changed(id)
  expect(there.knows()).toEqual(['a', 'b'])
  mend()
  await expect.poll(there.knows).toEqual(['b', 'c'])
  expect(there.known.classes.get('B')?.size).toBe(1)
})

it('retries a failed reading', async () => {
  const stored: Stored = new Map()
  const bus = localBus()
  const [here, there] = [await node(stored, bus), await node(stored, bus)]
  stored.set('a', [queryOf('a')])
  here.faults.push(new Error('the database is away'))
  there.faults.push(new Error('the database is away'))
  await expect(here.news.changed('a')).rejects.toThrow('away')
  for (const { knows } of [here, there]) await expect.poll(knows).toEqual(['a'])
})
