import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Bus } from './bus.ts'
import { postgresBus } from './postgres-bus.ts'

const database = await scratchDatabase()
/** No server listens on this port. */
const nowhere = new Database({
  connection: { host: '127.0.0.1', port: 1 },
  maxConnections: 1,
  maxQueryConnections: 1,
  statementTimeout: 1000,
})
const buses: Bus[] = []
let lines: { level: number; msg: string; component: string; error?: string }[]

beforeEach(() => {
  lines = []
})

afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.stop()))
})

function unstarted(on = database): Bus {
  const bus = postgresBus(on, pino({}, { write: (line) => void lines.push(JSON.parse(line)) }))
  buses.push(bus)
  return bus
}

async function node(): Promise<Bus> {
  const bus = unstarted()
  await bus.start()
  return bus
}

function receivedBy(bus: Bus, topic = 'topic'): string[] {
  const received: string[] = []
  bus.subscribe(topic, (message) => received.push(message))
  return received
}

/** Waits until all messages published before have arrived. */
async function settled(from: Bus, at: Bus): Promise<void> {
  const received = receivedBy(at, 'settled')
  await from.publish('settled', '')
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000)
}

const listeningPids = async () => {
  const rows = await database.query(sql`
    SELECT pid
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'homeport-background'`)
  return rows.map(({ pid }) => Number(pid))
}

const terminate = (pid: number) => database.query(sql`SELECT pg_terminate_backend(${pid})`)

it('delivers messages between two nodes, each topic separately', async () => {
  const [a, b] = [await node(), await node()]
  const [atA, atB, otherTopic] = [receivedBy(a), receivedBy(b), receivedBy(b, 'elsewhere')]
  await a.publish('topic', 'from a')
  await settled(a, b)
  await b.publish('topic', 'from b')
  await settled(b, a)
  expect(atA).toEqual(['from a', 'from b'])
  expect(atB).toEqual(['from a', 'from b'])
  expect(otherTopic).toEqual([])
})

it("delivers a node's own messages to it at once, and once", async () => {
  const [a, b] = [await node(), await node()]
  const received = receivedBy(a)
  const published = a.publish('topic', 'mine')
  expect(received).toEqual(['mine'])
  await published
  await settled(a, b)
  await settled(b, a)
  expect(received).toEqual(['mine'])
})

it('keeps the order of messages, whether or not publish is awaited, and delivers equal ones each', async () => {
  const [a, b] = [await node(), await node()]
  const received = receivedBy(b)
  const messages = Array.from({ length: 500 }, (_, index) => String(Math.floor(index / 2)))
  await Promise.all(messages.map((message) => a.publish('topic', message)))
  await a.publish('topic', 'last')
  await settled(a, b)
  expect(received).toEqual([...messages, 'last'])
})

it('delivers a message that a listener publishes after the message that caused it', async () => {
  const [a, b] = [await node(), await node()]
  const received = receivedBy(b)
  a.subscribe('topic', (message) => {
    if (message === 'question') void a.publish('topic', 'answer')
  })
  await a.publish('topic', 'question')
  await settled(a, b)
  expect(received).toEqual(['question', 'answer'])
})

it.each(['', '{"a":1}', '你好 😀', 'a\u0000b', '\ud800', `'"\\,{}\n`, 'NULL'])(
  'delivers the text %j unchanged',
  async (text) => {
    const [a, b] = [await node(), await node()]
    const received = receivedBy(b, text)
    await a.publish(text, text)
    await settled(a, b)
    expect(received).toEqual([text])
  },
)

it('rejects a message that PostgreSQL would reject, without delivering it; one byte less arrives', async () => {
  const [a, b] = [await node(), await node()]
  const [atA, atB] = [receivedBy(a), receivedBy(b)]
  const tooLong = (message: string) =>
    a.publish('topic', message).then(
      () => false,
      (error: Error) =>
        /too long for the bus: it has \d{4,} bytes with its envelope, and the maximum is 7999/.test(error.message),
    )
  expect(await tooLong('é'.repeat(4000))).toBe(true)
  expect(atA).toEqual([])
  const longest = []
  for (let length = 7999; longest.length === 0; length--) {
    const message = 'x'.repeat(length)
    if (!(await tooLong(message))) longest.push(message)
  }
  await settled(a, b)
  expect(atA).toEqual(longest)
  expect(atB).toEqual(longest)
  expect(longest[0]!.length).toBeGreaterThan(7800)
})

it('rejects publish when other nodes cannot be reached, but calls the local listeners', async () => {
  const bus = unstarted(nowhere)
  const received = receivedBy(bus)
  await expect(bus.publish('topic', 'a')).rejects.toThrow('ECONNREFUSED')
  expect(received).toEqual(['a'])
})

it.each([
  'nonsense',
  '',
  'null',
  '[]',
  '{}',
  '{"node":1,"topic":"topic","message":"m"}',
  '{"node":"n","topic":"topic"}',
])('ignores a notification %j of another program', async (payload) => {
  const [a, b] = [await node(), await node()]
  const received = receivedBy(b)
  await database.query(sql`SELECT pg_notify('homeport_bus', ${payload})`)
  await a.publish('topic', 'ours')
  await settled(a, b)
  expect(received).toEqual(['ours'])
  expect(lines).toEqual([])
})

it('logs a listener that throws and still calls the others, here and on other nodes', async () => {
  const [a, b] = [await node(), await node()]
  for (const bus of [a, b]) {
    bus.subscribe('topic', () => {
      throw new Error('not today')
    })
  }
  const [atA, atB] = [receivedBy(a), receivedBy(b)]
  await a.publish('topic', 'first')
  await a.publish('topic', 'second')
  await settled(a, b)
  expect(atA).toEqual(['first', 'second'])
  expect(atB).toEqual(['first', 'second'])
  expect(lines.map(({ component, error }) => `${component}: ${error}`)).toEqual(Array(4).fill('bus: not today'))
  expect(b.connected).toBe(true)
})

it('reports a lost connection as a gap: disconnected at once, connected and receiving afterwards', async () => {
  const bus = await node()
  const received = receivedBy(bus)
  const gaps: boolean[] = []
  bus.onGap(() => {
    throw new Error('not today')
  })
  bus.onGap(() => gaps.push(bus.connected))
  const ended = vi.fn()
  bus.onGap(ended)()
  expect(bus.connected).toBe(true)

  // Connections of earlier tests may take a moment to close.
  await expect.poll(listeningPids).toHaveLength(1)
  const [pid] = await listeningPids()
  await terminate(pid!)
  await vi.waitFor(() => expect(gaps).toEqual([false, true]), 10_000)
  await unstarted().publish('topic', 'again')
  await vi.waitFor(() => expect(received).toEqual(['again']), 10_000)

  expect(await listeningPids()).not.toContain(pid)
  expect(ended).not.toHaveBeenCalled()
  const others = lines.filter(({ error }) => error !== 'not today')
  expect(others).toMatchObject([
    { level: pino.levels.values.warn, component: 'bus', error: expect.stringContaining('terminating connection') },
    { level: pino.levels.values.info, component: 'bus' },
  ])
})

it('reconnects each time a connection is lost repeatedly', async () => {
  const bus = await node()
  const received = receivedBy(bus)
  const gaps: boolean[] = []
  bus.onGap(() => gaps.push(bus.connected))
  for (const message of ['one', 'two', 'three']) {
    gaps.splice(0)
    for (const pid of await listeningPids()) await terminate(pid)
    await vi.waitFor(() => expect(gaps).toEqual([false, true]), 10_000)
    await unstarted().publish('topic', message)
    await vi.waitFor(() => expect(received).toContain(message), 10_000)
  }
  expect(received).toEqual(['one', 'two', 'three'])
})

it('closes the connection on stop, and then delivers no messages of other nodes and reports no gap', async () => {
  const [a, b] = [await node(), await node()]
  const [received, gap] = [receivedBy(b), vi.fn()]
  b.onGap(gap)
  await b.stop()
  expect(b.connected).toBe(false)
  await vi.waitFor(async () => expect(await listeningPids()).toHaveLength(1), 10_000)
  await a.publish('topic', 'too late')
  await b.stop()
  expect(received).toEqual([])
  expect(gap).not.toHaveBeenCalled()
  expect(lines).toEqual([])
})

it('rejects a start without a database, and does not retry', async () => {
  const bus = unstarted(nowhere)
  await expect(bus.start()).rejects.toThrow('ECONNREFUSED')
  expect(bus.connected).toBe(false)
  expect(lines).toEqual([])
})
