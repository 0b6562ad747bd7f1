import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRedis, makeRedisCluster, redisServer } from '../../test/support/redis.ts'
import { RedisDirectory, type RedisDirectoryOptions } from './redis-directory.ts'

const directories: RedisDirectory[] = []
let lines: { level: number; component: string; error?: string }[]
/** A separate app for each test. */
let app: string

beforeEach(() => {
  lines = []
  app = randomUUID()
})

afterEach(async () => {
  await Promise.all(directories.splice(0).map((directory) => directory.stop()))
})

function unstarted(url: string, options: RedisDirectoryOptions = {}): RedisDirectory {
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const directory = new RedisDirectory(url, log, options)
  directories.push(directory)
  return directory
}

async function started(url: string, options: RedisDirectoryOptions = {}): Promise<RedisDirectory> {
  const directory = unstarted(url, options)
  await directory.start()
  return directory
}

/** Returns which of Ann, Bob and Cleo are online. */
const known = async (directory: RedisDirectory) =>
  [...(await directory.whoIsOnline(app, ['ann', 'bob', 'cleo']))].sort().join(' ')

describe.skipIf(redisServer === null)('with Redis', () => {
  const redis = makeRedis(afterAll)
  beforeAll(() => redis.start())

  afterEach(async () => {
    redis.thaw()
    await redis.start()
  })

  const keys = async () => (await redis.client.keys(`*${app}*`)).map((key) => key.replace(/^.*:/, '')).sort()

  /** Starts a node that can be cut off from Redis, as if it had died. */
  async function mortal(options: RedisDirectoryOptions = {}) {
    const name = `node-${randomUUID()}`
    const admit = () => redis.client.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '&*', '+@all')
    await admit()
    const directory = await started(redis.url.replace('//', `//${name}:secret@`), options)
    return {
      directory,
      async cut() {
        await redis.client.call('ACL', 'SETUSER', name, 'off')
        await redis.client.call('CLIENT', 'KILL', 'USER', name)
      },
      admit,
    }
  }

  it('lists the clients of all nodes by id, each once, page by page', async () => {
    const [here, there] = [await started(redis.url), await started(redis.url)]
    for (let n = 0; n < 3000; n++) {
      const clientId = `client ${String(n).padStart(4, '0')}`
      if (n % 3 !== 0) here.online(app, clientId)
      if (n % 3 !== 1) there.online(app, clientId)
    }
    there.online(app, 'half \ud800')
    await vi.waitFor(async () => expect(await here.countOnline(app)).toBe(3001))
    expect(await here.listOnline(app, '', 3)).toEqual(['client 0000', 'client 0001', 'client 0002'])
    expect(await there.listOnline(app, 'client 1499', 2)).toEqual(['client 1500', 'client 1501'])
    expect(await here.listOnline(app, 'client 2998', 5)).toEqual(['client 2999', 'half \ud800'])
    expect(await here.listOnline('another app', '', 5)).toEqual([])
  })

  it('knows on every node which clients are online on any node, separately for each app', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    a.online(app, 'ann')
    b.online(app, 'bob')
    b.online('elsewhere', 'cleo')
    // A node's own entries are known to it at once.
    expect(await known(a)).toContain('ann')
    for (const node of [a, b]) await vi.waitFor(async () => expect(await known(node)).toBe('ann bob'), 10_000)
    a.offline(app, 'ann')
    expect(await known(a)).toBe('bob')
    await vi.waitFor(async () => expect(await known(b)).toBe('bob'), 10_000)
  })

  it('lists a client on two nodes as online until it has left both, and counts it once', async () => {
    const [a, b, c] = [await started(redis.url), await started(redis.url), await started(redis.url)]
    for (const node of [a, b]) node.online(app, 'ann')
    b.online(app, 'bob')
    await vi.waitFor(async () => expect(await known(c)).toBe('ann bob'), 10_000)
    expect(await Promise.all([a, b, c].map((node) => node.countOnline(app)))).toEqual([2, 2, 2])
    a.offline(app, 'ann')
    expect(await a.countOnline(app)).toBe(2)
    b.offline(app, 'ann')
    expect(await b.countOnline(app)).toBe(1)
  })

  it('sends the net changes of an event-loop iteration in one transaction', async () => {
    // A long lease, because its renewal is a transaction, too.
    const a = await started(redis.url, { lease: 600_000 })
    a.online(app, 'ann')
    await vi.waitFor(async () => expect(await keys()).toContain('clients'), 10_000)
    await redis.client.config('RESETSTAT')
    for (let index = 0; index < 2500; index++) a.online(app, `client ${index}`)
    for (let index = 0; index < 2500; index++) a.offline(app, `client ${index}`)
    a.online(app, 'bob')
    expect(await a.countOnline(app)).toBe(2)
    const calls = await redis.client.info('commandstats')
    const callsOf = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(calls)?.[1] ?? 0)
    expect([callsOf('exec'), callsOf('srem')]).toEqual([1, 3])
  })

  it('sums the counts of all nodes', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    expect(await a.sumCount(app, 'room')).toBe(0)
    a.setCount(app, 'room', 2)
    b.setCount(app, 'room', 5)
    b.setCount(app, 'another', 1)
    for (const node of [a, b]) await vi.waitFor(async () => expect(await node.sumCount(app, 'room')).toBe(7), 10_000)
    b.setCount(app, 'room', 0)
    await vi.waitFor(async () => expect(await a.sumCount(app, 'room')).toBe(2), 10_000)
  })

  it('returns members of a group on other nodes, at most the limit per node', async () => {
    const [a, b, c] = [await started(redis.url), await started(redis.url), await started(redis.url)]
    const some = async (node: RedisDirectory, group: string, limit = 50) =>
      (await node.someOnOtherNodes(app, group, limit)).toSorted()
    expect(await some(a, 'room')).toEqual([])
    a.entered(app, 'room', 'ann')
    b.entered(app, 'room', 'bob')
    b.entered(app, 'roo', 'beth')
    b.entered(app, 'room 2', 'bill')
    b.entered('elsewhere', 'room', 'ben')
    c.entered(app, 'room', 'cleo')
    c.entered(app, 'room', 'carl')
    await vi.waitFor(async () => expect(await some(a, 'room')).toEqual(['bob', 'carl', 'cleo']), 10_000)
    await vi.waitFor(async () => expect(await some(c, 'room')).toEqual(['ann', 'bob']), 10_000)
    expect(await some(a, 'room', 1)).toHaveLength(2)
    expect(await some(a, 'room', 0)).toEqual([])
    b.left(app, 'room', 'bob')
    c.left(app, 'room', 'carl')
    await vi.waitFor(async () => expect(await some(a, 'room')).toEqual(['cleo']), 10_000)
    expect([await some(a, 'roo'), await some(a, 'room 2')]).toEqual([['beth'], ['bill']])
  })

  it('draws members of a large group with equal probability, none twice', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    const clients = Array.from({ length: 5000 }, (_, index) => `client ${index}`)
    for (const client of clients) b.entered(app, 'room', client)
    b.entered(app, 'ro', 'before them')
    b.entered(app, 'rooms', 'behind them')
    await vi.waitFor(async () => expect(await a.someOnOtherNodes(app, 'room', 5001)).toHaveLength(5000), 10_000)
    const drawn = await Promise.all(Array.from({ length: 100 }, () => a.someOnOtherNodes(app, 'room', 50)))
    for (const some of drawn) expect([some.length, new Set(some).size]).toEqual([50, 50])
    expect(clients).toEqual(expect.arrayContaining(drawn.flat()))
    // 5000 draws of 5000: about 63 % of them come up. If neighbors were drawn together, or the same ones each time, the
    // number would be far lower.
    expect(new Set(drawn.flat()).size).toBeGreaterThan(2800)
    const half = drawn.flat().filter((client) => Number(client.slice('client '.length)) < 2500).length
    expect(Math.abs(half - 2500)).toBeLessThan(300)
  })

  it('returns the previous holder of a name, on any node, to its latest claim', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    expect(await a.claim(app, 'ann web', 'first')).toBeNull()
    expect(await a.claim(app, 'ann web', 'second')).toBe('first')
    expect(await b.claim(app, 'ann web', 'third')).toBe('second')
    expect(await b.claim(app, 'ann web', 'third')).toBeNull()
    expect(await b.claim('elsewhere', 'ann web', 'fourth')).toBeNull()
    for (const node of [a, b]) expect(await node.holder(app, 'ann web')).toBe('third')
    expect(await a.claim(app, 'ann web', 'fifth')).toBe('third')
    expect(await b.holder(app, 'ann web')).toBe('fifth')
  })

  it('returns to each of several concurrent claims the holder before it', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    const holders = Array.from({ length: 40 }, (_, index) => `holder ${index}`)
    const before = await Promise.all(holders.map((holder, index) => (index % 2 ? a : b).claim(app, 'ann web', holder)))
    const last = await a.holder(app, 'ann web')
    expect([...before, last].sort()).toEqual([...holders, null].sort())
  })

  it('releases a name for its current holder only', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    await a.claim(app, 'ann web', 'first')
    await b.claim(app, 'ann web', 'second')
    await a.release(app, 'ann web', 'first')
    expect(await a.holder(app, 'ann web')).toBe('second')
    await b.release(app, 'ann web', 'second')
    for (const node of [a, b]) expect(await node.holder(app, 'ann web')).toBeNull()
  })

  it.each(['', '你好 😀', 'a\u0000b', '\ud800', `'"\\,{}\n`])('accepts the name %j unchanged', async (name) => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    a.online(app, name)
    a.setCount(app, name, 1)
    await a.claim(app, name, name)
    expect(await b.holder(app, name)).toBe(name)
    expect(await b.sumCount(app, name)).toBe(1)
    expect(await b.whoIsOnline(app, ['\ufffd', name])).toEqual(new Set([name]))
    a.entered(app, name, name)
    await vi.waitFor(async () => expect(await b.someOnOtherNodes(app, name, 50)).toEqual([name]), 10_000)
  })

  it('sends and looks up many clients in chunks', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    const clients = Array.from({ length: 12_345 }, (_, index) => `client ${index}`)
    for (const client of clients) a.online(app, client)
    expect(await a.countOnline(app)).toBe(12_345)
    expect((await b.whoIsOnline(app, clients)).size).toBe(12_345)
    for (const client of clients.slice(1)) a.offline(app, client)
    expect(await a.countOnline(app)).toBe(1)
    expect((await b.whoIsOnline(app, clients)).size).toBe(1)
  })

  it('drops all entries of a dead node when its lease has expired, and not earlier', async () => {
    const lease = 5000
    const [a, { directory: b, cut }] = [await started(redis.url, { lease }), await mortal({ lease })]
    a.online(app, 'ann')
    b.online(app, 'bob')
    b.setCount(app, 'room', 5)
    b.entered(app, 'room', 'bob')
    await b.claim(app, 'bob web', 'first')
    await vi.waitFor(async () => expect(await known(a)).toBe('ann bob'), 10_000)
    expect(await a.someOnOtherNodes(app, 'room', 50)).toEqual(['bob'])
    const since = performance.now()
    await cut()
    expect(await known(a)).toBe('ann bob')
    await vi.waitFor(async () => expect(await known(a)).toBe('ann'), { timeout: 60_000, interval: 20 })
    expect(performance.now() - since).toBeGreaterThan(500)
    expect(await a.sumCount(app, 'room')).toBe(0)
    expect(await a.someOnOtherNodes(app, 'room', 50)).toEqual([])
    expect(await a.countOnline(app)).toBe(1)
    expect(await a.holder(app, 'bob web')).toBeNull()
    expect(await a.claim(app, 'bob web', 'second')).toBeNull()
    expect(await keys()).toHaveLength(4)
  })

  it('keeps the entries of a live node through renewals of its lease', async () => {
    const lease = 5000
    const [a, b] = [await started(redis.url, { lease }), await started(redis.url, { lease })]
    b.online(app, 'bob')
    await b.claim(app, 'bob web', 'first')
    await vi.waitFor(async () => expect(await known(a)).toBe('bob'), 10_000)
    for (const until = performance.now() + lease * 1.3; performance.now() < until; await sleep(5))
      expect([await known(a), await a.holder(app, 'bob web')]).toEqual(['bob', 'first'])
  })

  it('sends the current state of a node that was cut off and returns', async () => {
    const [a, { directory: b, cut, admit }] = [await started(redis.url), await mortal()]
    b.online(app, 'ann')
    b.online(app, 'bob')
    for (const name of ['one', 'two', 'three']) await b.claim(app, name, `${name} at b`)
    await vi.waitFor(async () => expect(await known(a)).toBe('ann bob'), 10_000)
    await cut()
    await vi.waitFor(() => expect(b.connected).toBe(false), 10_000)
    b.offline(app, 'ann')
    b.online(app, 'cleo')
    b.setCount(app, 'room', 1)
    await b.release(app, 'one', 'one at b')
    expect(await a.claim(app, 'two', 'two at a')).toBe('two at b')
    await admit()
    await vi.waitFor(async () => expect(await known(a)).toBe('bob cleo'), 10_000)
    expect(await a.sumCount(app, 'room')).toBe(1)
    // Names that another node has claimed meanwhile stay with it.
    for (const node of [a, b])
      expect(await Promise.all(['one', 'two', 'three'].map((name) => node.holder(app, name)))).toEqual([
        null,
        'two at a',
        'three at b',
      ])
  })

  it("returns the node's own entries while Redis is unavailable, and resends everything to an empty Redis", async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    a.online(app, 'ann')
    b.online(app, 'bob')
    a.setCount(app, 'room', 2)
    b.setCount(app, 'room', 5)
    await a.claim(app, 'ann web', 'first')
    await vi.waitFor(async () => expect(await known(a)).toBe('ann bob'), 10_000)
    expect([a.connected, b.connected]).toEqual([true, true])
    await redis.kill()
    await vi.waitFor(() => expect([a.connected, b.connected]).toEqual([false, false]), 10_000)

    a.online(app, 'cleo')
    a.entered(app, 'room', 'cleo')
    expect(await a.someOnOtherNodes(app, 'room', 50)).toEqual([])
    expect(await known(a)).toBe('ann cleo')
    expect(await known(b)).toBe('bob')
    expect(await a.countOnline(app)).toBe(2)
    expect(await a.sumCount(app, 'room')).toBe(2)
    expect(await a.holder(app, 'ann web')).toBe('first')
    expect(await b.holder(app, 'ann web')).toBeNull()
    expect(await a.claim(app, 'cleo web', 'second')).toBeNull()
    await a.release(app, 'ann web', 'first')

    await redis.start()
    for (const node of [a, b]) await vi.waitFor(async () => expect(await known(node)).toBe('ann bob cleo'), 10_000)
    await vi.waitFor(() => expect([a.connected, b.connected]).toEqual([true, true]), 10_000)
    expect(await b.countOnline(app)).toBe(3)
    expect(await b.sumCount(app, 'room')).toBe(7)
    expect(await b.someOnOtherNodes(app, 'room', 50)).toEqual(['cleo'])
    expect(await b.holder(app, 'ann web')).toBeNull()
    expect(await b.holder(app, 'cleo web')).toBe('second')
    const { warn, info } = pino.levels.values
    expect(lines.map(({ level, component }) => [level, component])).toEqual([
      ...Array(2).fill([warn, 'directory']),
      ...Array(2).fill([info, 'directory']),
    ])
  })

  it.each(['alive', 'clients', 'counts', 'members'])(
    'resends everything with the next renewal to a Redis that has lost %s',
    async (name) => {
      const [a, b] = [await started(redis.url, { lease: 3000 }), await started(redis.url)]
      a.online(app, 'ann')
      a.setCount(app, 'room', 2)
      a.entered(app, 'room', 'ann')
      await a.claim(app, 'ann web', 'first')
      await vi.waitFor(async () => expect(await known(b)).toBe('ann'), 10_000)
      await redis.client.del((await redis.client.keys(`*${app}*:${name}`))[0]!)
      const all = async () => [
        await known(b),
        await b.sumCount(app, 'room'),
        await b.someOnOtherNodes(app, 'room', 50),
        await b.holder(app, 'ann web'),
      ]
      await vi.waitFor(async () => expect(await all()).toEqual(['ann', 2, ['ann'], 'first']), 10_000)
      expect(lines).toEqual([])
    },
  )

  it("returns the node's own entries after a timeout while Redis hangs, and at once for later calls", async () => {
    const a = await started(redis.url)
    a.online(app, 'ann')
    await a.countOnline(app)
    redis.freeze()
    const calls = async () => {
      const since = performance.now()
      expect(await known(a)).toBe('ann')
      return performance.now() - since
    }
    expect(await calls()).toBeGreaterThan(1000)
    await vi.waitFor(async () => expect(await calls()).toBeLessThan(100), 15_000)
    expect(a.connected).toBe(false)
    redis.thaw()
    await vi.waitFor(async () => expect(a.connected).toBe(true), 10_000)
  })

  it('starts without Redis, and sends its entries once Redis is available', async () => {
    await redis.kill()
    const a = await started(redis.url)
    expect(a.connected).toBe(false)
    a.online(app, 'ann')
    await redis.start()
    const b = await started(redis.url)
    await vi.waitFor(async () => expect(await known(b)).toBe('ann'), 10_000)
  })

  it('removes all entries of the node on stop', async () => {
    const [a, b] = [await started(redis.url), await started(redis.url)]
    a.online(app, 'ann')
    a.setCount(app, 'room', 2)
    a.entered(app, 'room', 'ann')
    await a.claim(app, 'ann web', 'first')
    await vi.waitFor(async () => expect(await known(b)).toBe('ann'), 10_000)
    a.offline(app, 'ann')
    a.online(app, 'bob')
    await a.stop()
    expect(await known(b)).toBe('')
    expect(await b.someOnOtherNodes(app, 'room', 50)).toEqual([])
    expect(await keys()).toEqual([])
    expect(lines).toEqual([])
  })

  it('stops renewing an app without entries', async () => {
    const a = await started(redis.url, { lease: 300 })
    a.online(app, 'ann')
    await vi.waitFor(async () => expect(await keys()).toContain('alive'), 10_000)
    a.offline(app, 'ann')
    await vi.waitFor(async () => expect(await keys()).toEqual([]), 10_000)
    a.online(app, 'ann')
    await vi.waitFor(async () => expect(await keys()).toContain('alive'), 10_000)
  })
})

describe.skipIf(redisServer === null)('with a cluster', () => {
  const cluster = makeRedisCluster(afterAll)
  beforeAll(() => cluster.start())

  it('spreads apps over the nodes of the cluster, and covers all of them', async () => {
    const [a, b] = [await started(cluster.url), await started(cluster.url)]
    const apps = Array.from({ length: 20 }, (_, index) => `app-${index}`)
    for (const id of apps) {
      a.online(id, 'ann')
      b.online(id, 'bob')
      a.setCount(id, 'room', 1)
      b.setCount(id, 'room', 2)
      b.entered(id, 'room', 'bob')
    }
    const answersFor = async (id: string) => [
      await a.claim(id, 'ann web', 'first'),
      await b.claim(id, 'ann web', 'second'),
      (await a.whoIsOnline(id, ['ann', 'bob'])).size,
      await a.countOnline(id),
      await b.sumCount(id, 'room'),
      await a.someOnOtherNodes(id, 'room', 50),
      await a.holder(id, 'ann web'),
    ]
    expect(await Promise.all(apps.map(answersFor))).toEqual(apps.map(() => [null, 'first', 2, 2, 3, ['bob'], 'second']))
    const used = await Promise.all(cluster.nodes.map(async ({ client }) => (await client.dbsize()) > 0))
    expect(used).toEqual([true, true, true])
    await a.stop()
    expect(await b.countOnline('app-0')).toBe(1)
  })

  it("returns the node's own entries while a node of the cluster is unavailable, and all entries afterwards", async () => {
    const [a, b] = [await started(cluster.url, { lease: 5000 }), await started(cluster.url, { lease: 5000 })]
    const apps = Array.from({ length: 20 }, (_, index) => `app-${index}`)
    for (const id of apps) {
      a.online(id, 'ann')
      b.online(id, 'bob')
    }
    const counts = () => Promise.all(apps.map(async (id) => (await a.whoIsOnline(id, ['ann', 'bob'])).size))
    await vi.waitFor(async () => expect(await counts()).toEqual(apps.map(() => 2)), 10_000)
    await cluster.nodes[1]!.kill()
    await vi.waitFor(async () => expect(await counts()).toEqual(apps.map(() => 1)), 30_000)
    const calls = async () => {
      const since = performance.now()
      await counts()
      return performance.now() - since
    }
    await vi.waitFor(async () => expect(await calls()).toBeLessThan(1000), 15_000)
    await cluster.nodes[1]!.start()
    await vi.waitFor(async () => expect(await counts()).toEqual(apps.map(() => 2)), 30_000)
  }, 90_000)
})

it('works for its own node without any Redis, and stops', async () => {
  const directory = await started('redis://127.0.0.1:1')
  directory.online(app, 'ann')
  expect(await known(directory)).toBe('ann')
  expect(lines).toMatchObject([{ component: 'directory', error: expect.stringContaining('ECONNREFUSED') }])
})
