import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRedis, makeRedisCluster, redisServer } from '../../test/support/redis.ts'
import type { Bus } from './bus.ts'
import { redisBus } from './redis-bus.ts'

/** No server listens on this port. */
const NOWHERE = 'redis://127.0.0.1:1'

const buses: Bus[] = []
let lines: { level: number; msg: string; component: string; error?: string }[]

beforeEach(() => {
  lines = []
})

afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.stop()))
})

function unstarted(url: string, times = {}): Bus {
  const bus = redisBus(url, pino({}, { write: (line) => void lines.push(JSON.parse(line)) }), times)
  buses.push(bus)
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
  await at.subscribed()
  await from.publish('settled', '')
  await vi.waitFor(() => expect(received).toHaveLength(1), 60_000)
}

/** Resolves after all work that is ready has been done. */
const nextIteration = () => new Promise<string>((resolve) => setImmediate(resolve, 'it waits'))

describe.skipIf(redisServer === null)('with Redis', () => {
  const redis = makeRedis(afterAll)
  beforeAll(() => redis.start())

  afterEach(async () => {
    redis.thaw()
    await redis.start()
  })

  async function node(times = {}): Promise<Bus> {
    const bus = unstarted(redis.url, times)
    await bus.start()
    return bus
  }

  const channels = async () => (await redis.client.pubsub('CHANNELS')) as string[]

  it('delivers messages between two nodes, each topic separately', async () => {
    const [a, b] = [await node(), await node()]
    const [atA, atB, otherTopic] = [receivedBy(a), receivedBy(b), receivedBy(b, 'elsewhere')]
    await Promise.all([a.subscribed(), b.subscribed()])
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
    await a.subscribed()
    const published = a.publish('topic', 'mine')
    expect(received).toEqual(['mine'])
    await published
    await settled(a, b)
    await settled(b, a)
    expect(received).toEqual(['mine'])
  })

  it('keeps the order of 10 000 messages, whether or not publish is awaited', async () => {
    const [a, b] = [await node(), await node()]
    const [received, other] = [receivedBy(b), receivedBy(b, 'other')]
    await b.subscribed()
    const messages = Array.from({ length: 10_000 }, (_, index) => String(Math.floor(index / 2)))
    await Promise.all(messages.flatMap((message) => [a.publish('topic', message), a.publish('other', message)]))
    await a.publish('topic', 'last')
    await settled(a, b)
    expect(received).toEqual([...messages, 'last'])
    expect(other).toEqual(messages)
  })

  it('delivers a message that a listener publishes after the message that caused it', async () => {
    const [a, b] = [await node(), await node()]
    const received = receivedBy(b)
    a.subscribe('topic', (message) => {
      if (message === 'question') void a.publish('topic', 'answer')
    })
    await b.subscribed()
    await a.publish('topic', 'question')
    await settled(a, b)
    expect(received).toEqual(['question', 'answer'])
  })

  it.each(['', '{"a":1}', '你好 😀', 'a\u0000b', '\ud800', `'"\\,{}\n`, 'NULL'])(
    'delivers the text %j unchanged, on the topic of that name',
    async (text) => {
      const [a, b] = [await node(), await node()]
      const [received, another] = [receivedBy(b, text), receivedBy(b, '\ufffd')]
      await b.subscribed()
      await a.publish(text, text)
      await settled(a, b)
      expect(received).toEqual([text])
      expect(another).toEqual([])
    },
  )

  it('delivers a message of 1 MB, and rejects one that is too long without delivering it', async () => {
    const [a, b] = [await node(), await node()]
    const [atA, atB] = [receivedBy(a), receivedBy(b)]
    await b.subscribed()
    const long = '"好'.repeat(250_000)
    await a.publish('topic', long)
    await expect(a.publish('topic', 'x'.repeat(4_200_000))).rejects.toThrow(
      /too long for the bus: .* the maximum is 4194304/,
    )
    await settled(a, b)
    for (const received of [atA, atB]) expect(received.map((message) => message === long)).toEqual([true])
  })

  it('delivers 60 MB at once, although Redis disconnects subscribers with 32 MB of pending data', async () => {
    // A long timeout: the transfer takes time, and a slow response must not count as a dead connection.
    const [a, b] = [await node({ timeoutMs: 30_000 }), await node({ timeoutMs: 30_000 })]
    let here = 0
    a.subscribe('topic', () => here++)
    const received: number[] = []
    b.subscribe('topic', (message) => received.push(Number(message.slice(0, 2))))
    await Promise.all([a.subscribed(), b.subscribed()])
    const numbers = Array.from({ length: 60 }, (_, index) => index + 10)
    await Promise.all(numbers.map((number) => a.publish('topic', String(number).padEnd(1_000_000))))
    await vi.waitFor(() => expect(received).toEqual(numbers), 60_000)
    expect(here).toBe(60)
    expect(lines).toEqual([])
  })

  it('subscribes only to topics with listeners on this node, until the last listener is removed', async () => {
    const bus = await node()
    // Connections of earlier tests may take a moment to close.
    await expect.poll(channels).toEqual([])
    const received: string[] = []
    const ends = [1, 2].map(() => bus.subscribe('topic', (message) => received.push(message)))
    await bus.subscribed()
    expect(await channels()).toEqual(['homeport:0:topic'])
    ends[0]!()
    ends[0]!()
    await bus.subscribed()
    expect(await channels()).toEqual(['homeport:0:topic'])
    await (await node()).publish('topic', 'for the second')
    await vi.waitFor(() => expect(received).toEqual(['for the second']), 60_000)
    ends[1]!()
    await bus.subscribed()
    expect(await channels()).toEqual([])
  })

  it('delivers messages published after a subscription has taken effect, however many begin and end', async () => {
    const [a, b] = [await node(), await node()]
    for (let round = 0; round < 200; round++) {
      const received: string[] = []
      b.subscribe('topic', () => {})()
      const end = b.subscribe('topic', (message) => received.push(message))
      await b.subscribed()
      await a.publish('topic', String(round))
      await vi.waitFor(() => expect(received).toEqual([String(round)]), { interval: 1, timeout: 60_000 })
      end()
    }
  })

  it('separates databases of one Redis', async () => {
    const a = unstarted(`${redis.url}/1`)
    await a.start()
    const [b, c] = [await node(), unstarted(`${redis.url}/1`)]
    await c.start()
    const [atB, atC] = [receivedBy(b), receivedBy(c)]
    await Promise.all([b.subscribed(), c.subscribed()])
    await a.publish('topic', 'a')
    await settled(a, c)
    expect([atB, atC]).toEqual([[], ['a']])
  })

  it.each(['nonsense', '', 'null', '{}', 'aaaaaaaaaaaa{"a":1}', 'aaaaaaaaaaaa'])(
    'ignores a payload of another program on its channel, such as %j',
    async (payload) => {
      const [a, b] = [await node(), await node()]
      const received = receivedBy(b)
      await b.subscribed()
      await redis.client.publish('homeport:0:topic', payload)
      await a.publish('topic', 'ours')
      await settled(a, b)
      expect(received).toEqual(['ours'])
      expect(lines).toEqual([])
    },
  )

  it('logs a listener that throws and still calls the others, here and on other nodes', async () => {
    const [a, b] = [await node(), await node()]
    for (const bus of [a, b]) {
      bus.subscribe('topic', () => {
        throw new Error('not today')
      })
    }
    const [atA, atB] = [receivedBy(a), receivedBy(b)]
    await b.subscribed()
    await a.publish('topic', 'first')
    await a.publish('topic', 'second')
    await settled(a, b)
    expect([atA, atB]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ])
    expect(lines.map(({ component, error }) => `${component}: ${error}`)).toEqual(Array(4).fill('bus: not today'))
    expect(b.connected).toBe(true)
  })

  it('reports a lost connection as a gap: publish rejects at once, calls local listeners, and recovers later', async () => {
    const [a, b] = [await node(), await node()]
    const [atA, atB] = [receivedBy(a), receivedBy(b)]
    const gaps: boolean[] = []
    b.onGap(() => gaps.push(b.connected))
    const ended = vi.fn()
    b.onGap(ended)()
    await redis.kill()
    await vi.waitFor(() => expect([a.connected, b.connected]).toEqual([false, false]), 60_000)
    expect(gaps).toEqual([false])

    const failure = a.publish('topic', 'here').catch((error: Error) => error.message)
    expect(await Promise.race([failure, nextIteration()])).toContain('not connected')
    expect(atA).toEqual(['here'])
    // Topics subscribed to during the outage receive messages afterwards.
    const late = receivedBy(b, 'late')
    await b.subscribed()

    await redis.start()
    await vi.waitFor(() => expect([a.connected, b.connected]).toEqual([true, true]), 60_000)
    expect(gaps).toEqual([false, true])
    await a.publish('topic', 'everywhere')
    await a.publish('late', 'everywhere')
    await settled(a, b)
    expect(atA).toEqual(['here', 'everywhere'])
    expect(atB).toEqual(['everywhere'])
    expect(late).toEqual(['everywhere'])
    expect(ended).not.toHaveBeenCalled()
    expect(lines.map(({ level, component }) => ({ level, component }))).toEqual([
      ...Array(2).fill({ level: pino.levels.values.warn, component: 'bus' }),
      ...Array(2).fill({ level: pino.levels.values.info, component: 'bus' }),
    ])
  })

  it('rejects messages that were being published when Redis went away', async () => {
    const bus = await node()
    redis.freeze()
    const published = Array.from({ length: 100 }, (_, index) => bus.publish('topic', String(index)))
    const outcomes = Promise.allSettled(published)
    await redis.kill()
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(100).fill('rejected'))
  })

  it('replaces a connection on which Redis is silent once it responds again', async () => {
    // A timeout longer than a busy machine may pause.
    const [a, b] = [await node({ timeoutMs: 30_000 }), await node({ checkInterval: 50, timeoutMs: 3000 })]
    const received = receivedBy(b)
    const gaps: boolean[] = []
    b.onGap(() => gaps.push(b.connected))
    redis.freeze()
    await vi.waitFor(() => expect(gaps).toEqual([false]), 60_000)
    redis.thaw()
    await vi.waitFor(() => expect(gaps).toEqual([false, true]), 60_000)
    await a.publish('topic', 'again')
    await vi.waitFor(() => expect(received).toEqual(['again']), 60_000)
    expect(lines).toHaveLength(2)
  })

  it('keeps a connection on which Redis responds, however often it is probed', async () => {
    const bus = await node({ checkInterval: 1, timeoutMs: 5000 })
    const pings = async () => Number(/cmdstat_ping:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1] ?? 0)
    const before = await pings()
    await vi.waitFor(async () => expect(await pings()).toBeGreaterThan(before + 100), 60_000)
    expect(bus.connected).toBe(true)
    expect(lines).toEqual([])
  })

  it('starts without Redis, and connects once Redis is available', async () => {
    await redis.kill()
    const bus = await node()
    const received = receivedBy(bus)
    const gaps: boolean[] = []
    bus.onGap(() => gaps.push(bus.connected))
    expect(bus.connected).toBe(false)
    await redis.start()
    await vi.waitFor(() => expect(bus.connected).toBe(true), 60_000)
    await (await node()).publish('topic', 'a')
    await vi.waitFor(() => expect(received).toEqual(['a']), 60_000)
    expect(gaps).toEqual([true])
    expect(lines.map(({ level }) => level)).toEqual([pino.levels.values.warn, pino.levels.values.info])
  })

  it('ends the start after the timeout while Redis hangs', async () => {
    redis.freeze()
    const bus = unstarted(redis.url, { timeoutMs: 200 })
    await bus.start()
    expect(bus.connected).toBe(false)
  })

  it('closes the connection on stop, and then delivers no messages of other nodes and reports no gap', async () => {
    const [a, b] = [await node(), await node()]
    const [received, gap] = [receivedBy(b), vi.fn()]
    b.onGap(gap)
    await b.subscribed()
    await b.stop()
    expect(b.connected).toBe(false)
    await vi.waitFor(async () => expect(await channels()).toEqual([]), 60_000)
    await a.publish('topic', 'too late')
    await b.stop()
    expect(received).toEqual([])
    expect(gap).not.toHaveBeenCalled()
    expect(lines).toEqual([])
  })

  it('tries the next of several servers when one cannot be reached', async () => {
    const bus = unstarted(`redis://127.0.0.1:1,127.0.0.1:${redis.port}`)
    await bus.start()
    await vi.waitFor(() => expect(bus.connected).toBe(true), 60_000)
  })
})

describe.skipIf(redisServer === null)('with a Redis that requires a password', () => {
  const redis = makeRedis(afterAll, { requirepass: 'open-sesame' })
  beforeAll(() => redis.start())

  it('connects with the right password', async () => {
    const bus = unstarted(redis.url)
    await bus.start()
    expect(bus.connected).toBe(true)
  })

  it('does not connect with a wrong password, and does not log it', async () => {
    const bus = unstarted(redis.url.replace('open-sesame', 'wrong-word'))
    await bus.start()
    expect(bus.connected).toBe(false)
    expect(lines).toMatchObject([{ error: expect.stringContaining('WRONGPASS') }])
    expect(JSON.stringify(lines)).not.toContain('wrong-word')
  })
})

describe.skipIf(redisServer === null)('with a cluster', () => {
  const cluster = makeRedisCluster(afterAll)
  beforeAll(() => cluster.start())

  it('delivers messages published at another node of the cluster, and fails over when a node is lost', async () => {
    const [one, two, three] = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`)
    const [a, b] = [unstarted(`redis://${one},${two}`), unstarted(`redis://${two},${three}`)]
    await Promise.all([a.start(), b.start()])
    const received = receivedBy(b)
    await b.subscribed()
    const messages = Array.from({ length: 1000 }, (_, index) => String(index))
    await Promise.all(messages.map((message) => a.publish('topic', message)))
    await vi.waitFor(() => expect(received).toEqual(messages), 60_000)
    await cluster.nodes[1]!.kill()
    await vi.waitFor(() => expect([a.connected, b.connected, lines.length]).toEqual([true, true, 2]), 60_000)
    await a.publish('topic', 'again')
    await vi.waitFor(() => expect(received).toEqual([...messages, 'again']), 60_000)
  })
})

it('retries repeatedly, logs the outage once, and stops while retrying', async () => {
  const bus = unstarted(NOWHERE, { firstPause: 1, longestPause: 1 })
  await bus.start()
  expect(bus.connected).toBe(false)
  await expect(bus.publish('topic', 'a')).rejects.toThrow('not connected')
  await bus.stop()
  expect(lines).toMatchObject([{ component: 'bus', error: expect.stringContaining('ECONNREFUSED') }])
})

it('rejects an invalid URL without repeating it', () => {
  expect(() => unstarted('redis://:secret@')).toThrow(/^(?!.*secret)/)
})
