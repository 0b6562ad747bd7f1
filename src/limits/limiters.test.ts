import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeRedis, redisServer } from '../../test/support/redis.ts'
import { createLog } from '../log.ts'
import { type Limiter, Limiters, type LimitRule } from './limiters.ts'
import { type RedisCounts, redisCounts } from './redis-counts.ts'

const rule = (max: number, seconds: number, more: Partial<LimitRule> = {}): LimitRule => ({
  name: `test ${max}`,
  max,
  seconds,
  text: `${max} tests`,
  ...more,
})

/** Returns how many of a number of concurrent attempts succeed, distributed over several limiters. */
async function passed(limiters: readonly Limiter[], attempts: number, who = 'somebody'): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: attempts }, (_, n) => limiters[n % limiters.length]!.take(who)),
  )
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

describe('in the memory of one node', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    return () => void vi.useRealTimers()
  })

  test('lets exactly the limit of a hundred concurrent attempts through, for each key', async () => {
    const limiter = new Limiters().make(rule(10, 1))
    expect(await passed([limiter], 100)).toBe(10)
    expect(await passed([limiter], 100, 'another')).toBe(10)
  })

  test('reports the limit and the remaining time, after which it allows more', async () => {
    const limiter = new Limiters().make(rule(2, 3600))
    await limiter.take('somebody', 2)
    vi.advanceTimersByTime(3_000_000)
    const refused = { status: 429, code: 429, message: 'Too many requests. The limit is 2 tests.', retryAfter: 600 }
    await expect(limiter.take('somebody')).rejects.toMatchObject(refused)
    vi.advanceTimersByTime(600_000)
    await limiter.take('somebody')
  })

  test('rejects an amount above the limit, and counts it', async () => {
    const limiter = new Limiters().make(rule(5, 1))
    await expect(limiter.take('somebody', 6)).rejects.toMatchObject({ status: 429, retryAfter: 1 })
    await expect(limiter.take('somebody')).rejects.toMatchObject({ status: 429 })
  })

  test('forgets the oldest keys of all limiters together when the maximum is reached', async () => {
    const limiters = new Limiters(null, 100)
    const [one, other] = [limiters.make(rule(1, 3600)), limiters.make(rule(1, 60))]
    await one.take('the oldest')
    await one.take('the second')
    for (let n = 0; n < 49; n++) await Promise.all([one.take(`${n}`), other.take(`${n}`)])
    await expect(one.take('the oldest')).rejects.toMatchObject({ status: 429 })
    await other.take('one too many')
    await one.take('the oldest')
    await expect(other.take('48')).rejects.toMatchObject({ status: 429 })
  })

  test('does not evict keys of longer times for those of a second', async () => {
    const limiters = new Limiters(null, 10)
    const [brief, long] = [limiters.make(rule(1, 1)), limiters.make(rule(1, 3600))]
    await long.take('somebody')
    for (let n = 0; n < 100; n++) await brief.take(`${n}`)
    await expect(long.take('somebody')).rejects.toMatchObject({ status: 429 })
  })
})

describe.skipIf(redisServer === null)('on nodes with Redis', () => {
  const redis = makeRedis(afterAll)
  const log = createLog('silent')
  const nodes: RedisCounts[] = []
  beforeAll(async () => {
    await redis.start()
    nodes.push(redisCounts(redis.url, log), redisCounts(redis.url, log))
    await Promise.all(nodes.map((node) => node.start()))
    return () => {
      for (const node of nodes) node.stop()
    }
  })
  const onEach = (made: LimitRule) => nodes.map((node) => new Limiters(node).make(made))

  test.each([
    ['of a small limit', rule(10, 60)],
    ['of an exact one', rule(150, 60, { exact: true })],
  ])('%s lets no more through on both nodes together than the limit', async (_, made) => {
    expect(await passed(onEach(made), 400)).toBe(made.max)
  })

  test('lets each node exceed a large limit by at most a twentieth, after which both reject', async () => {
    const [one, other] = onEach(rule(1000, 60))
    // Sequentially, like requests, so that each report has a response before the next attempt.
    let through = 0
    for (let n = 0; n < 1500; n++) {
      through += await passed([n % 2 === 0 ? one! : other!], 1)
      if (n % 5 === 0) await redis.client.ping()
    }
    expect(through).toBeGreaterThanOrEqual(1000)
    expect(through).toBeLessThanOrEqual(1100)
    await expect(one!.take('somebody')).rejects.toMatchObject({ status: 429 })
    await expect(other!.take('somebody')).rejects.toMatchObject({ status: 429 })
  })

  test('does not report occasional use to Redis', async () => {
    const [one] = onEach(rule(2000, 60))
    for (let n = 0; n < 99; n++) await one!.take('now and then')
    expect(await redis.client.keys('*test 2000*')).toEqual([])
    await one!.take('now and then')
    await expect.poll(() => redis.client.keys('*test 2000*')).toHaveLength(1)
  })

  test('counts per node while Redis is away or hangs, and together when it is back', async () => {
    const alone = rule(7, 60)
    redis.freeze()
    onTestFinished(() => redis.thaw())
    const [first] = onEach(alone)
    expect(await passed([first!], 20)).toBe(7)
    redis.thaw()
    await redis.kill()
    const limiters = onEach({ ...alone, name: 'away' })
    expect(await passed(limiters, 40)).toBe(14)
    await redis.start()
    let round = 0
    await expect
      .poll(() => passed(onEach({ ...alone, name: `back ${round++}` }), 40), { timeout: 60_000, interval: 500 })
      .toBe(7)
  })
})
