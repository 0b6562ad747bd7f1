import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { schemaOf } from '../apps/apps.ts'
import { localBus } from '../bus/local-bus.ts'
import { ANONYMOUS } from '../objects/access/caller.ts'
import type { Written } from '../objects/statements/watch.ts'
import type { JsonObject } from '../values/json.ts'
import { parseCondition } from './condition.ts'
import { eventText } from './live-event.ts'
import { openLiveQueries } from './open.ts'
import { subscribe } from './subscribe.ts'
import { logIn } from './subscriber-login.ts'
import { Watcher } from './watcher.ts'

const { messaging } = await makeMessaging()
const lines: string[] = []
const live = await openLiveQueries({
  objects: messaging.objects,
  secret: () => 'a secret',
  schema: schemaOf(messaging.appId),
  bus: localBus(),
  alone: true,
  rolesOf: async () => [],
  holdSession: async () => true,
  log: pino({}, { write: (line) => void lines.push(line) }),
})
afterAll(() => live.stop())
const watcher = new Watcher(() => live)
const schema = await messaging.objects.classes.ensureClass('Watched')

let count = 0
/** A subscriber that records its notifications. */
async function listener(where: JsonObject) {
  const events: { op: string; object: JsonObject }[] = []
  const id = `s${++count}`
  const { queryId } = await subscribe(live, { id, query: { className: 'Watched', where } }, ANONYMOUS)
  const notify = (event: Parameters<typeof eventText>[0]) => void events.push(JSON.parse(eventText(event, queryId)))
  await logIn(live, { id, notify, displace: () => {} }, () => {})
  return events
}

const time = '2026-01-01 00:00:00+00'
const row = (data: JsonObject, id = 'i') => ({
  id,
  created_at: time,
  updated_at: time,
  acl: null,
  data: JSON.stringify(data),
})
const creation = (data: JsonObject): Written => ({ schema, before: null, after: row(data), updatedKeys: [] })

it('does not watch a class without queries', async () => {
  expect(watcher.isWatched('Watched')).toBe(false)
  expect(new Watcher(() => undefined).isWatched('Watched')).toBe(false)
  await listener({ n: 'never' })
  expect([watcher.isWatched('Watched'), watcher.isWatched('Other')]).toEqual([true, false])
})

it('notifies of changes in order, however long each takes', async () => {
  const events = await listener({ kind: 'order' })
  for (let n = 0; n < 1000; n++)
    watcher.written(creation({ kind: 'order', n, text: n % 100 === 0 ? 'x'.repeat(1e6) : '' }))
  await expect.poll(() => events.length).toBe(1000)
  expect(events.map(({ object }) => object.n)).toEqual(Array.from({ length: 1000 }, (_, n) => n))
})

it('drops changes when they arrive too fast, logs that once, and continues with later ones', async () => {
  const events = await listener({ kind: 'flood' })
  for (let n = 0; n < 12_000; n++) watcher.written(creation({ kind: 'flood', n }))
  await expect.poll(() => events.at(-1)?.object.n).toBeGreaterThan(9_900)
  expect(events.length).toBeLessThan(12_000)
  expect(lines.filter((line) => line.includes('dropping changes'))).toHaveLength(1)
  watcher.written(creation({ kind: 'flood', n: 'after' }))
  await expect.poll(() => events.at(-1)?.object.n).toBe('after')
})

it('does not block other work with thousands of conditions without a key', async () => {
  const where = { $or: [{ a: { $regex: '(x+x+)+y' } }, { b: { $regex: '^(a|b|ab)*c$' } }] }
  for (let n = 0; n < 3000; n++) {
    const id = `heavy ${n % 50}`
    live.known.set(id, [...live.known.ofSubscriber(id).values(), { ...heavy(where), id: `q${n}`, subscriberId: id }])
  }
  const events = await listener({ kind: 'beside' })
  // Milliseconds of CPU time, because other processes on the machine do not count as blocking here.
  const spent = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  let longest = 0
  let last = spent()
  let running = true
  const look = () => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
    if (running) setImmediate(look)
  }
  watcher.written(creation({ kind: 'beside', a: 'xa'.repeat(500), b: 'ab'.repeat(500) }))
  setImmediate(look)
  await expect.poll(() => events.length, { timeout: 60_000 }).toBe(1)
  running = false
  expect(longest).toBeLessThan(500)
}, 30_000)

it('skips a text that would take a regular expression too long', async () => {
  const events = await listener({ long: { $regex: '(?:[a-z0-9]{1,30}x){1,30}$|Q' } })
  const began = performance.now()
  watcher.written(creation({ long: `${'abxyz019'.repeat(100_000)}Q` }))
  watcher.written(creation({ long: 'short Q' }))
  await expect.poll(() => events.length).toBe(1)
  expect(events[0]!.object.long).toBe('short Q')
  expect(performance.now() - began).toBeLessThan(10_000)
})

function heavy(where: JsonObject) {
  const { where: tree, fields, effort } = parseCondition(JSON.stringify(where))
  return { className: 'Watched', where: tree, fields, effort, userId: null, withAcl: false, proof: null }
}
