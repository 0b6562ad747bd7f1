import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { schemaOf } from '../apps/apps.ts'
import { localBus } from '../bus/local-bus.ts'
import { ANONYMOUS, MASTER } from '../objects/access/caller.ts'
import { keepHouse, RETENTION_MS } from './housekeeping.ts'
import type { Subscriber } from './online-subscribers.ts'
import { openLiveQueries } from './open.ts'
import { subscribe } from './subscribe.ts'
import { logIn, lose } from './subscriber-login.ts'

const { messaging } = await makeMessaging()
const { objects } = messaging
const bus = localBus()
let now = Date.parse('2030-01-01T00:00:00Z')

const node = () =>
  openLiveQueries({
    objects,
    secret: () => 'a secret',
    schema: schemaOf(objects.appId),
    bus,
    alone: false,
    rolesOf: async () => [],
    holdSession: async () => true,
    log: pino({ level: 'silent' }),
    now: () => now,
  })
const [here, there] = [await node(), await node()]
afterAll(() => {
  here.stop()
  there.stop()
})

let count = 0
const subscriber = (id = `s${++count}`): Subscriber => ({ id, notify: () => {}, displace: () => {} })
const known = (id: string) => [here, there].map((one) => one.known.ofSubscriber(id).size)
/** Subscribes to a query, which both nodes then know. */
const subscribeNew = async (id: string) => {
  const { queryId } = await subscribe(here, { id, query: { className: 'A', where: { n: 1 } } }, ANONYMOUS)
  await expect.poll(() => known(id)).toEqual([1, 1])
  return queryId
}
const pass = async (time: number) => {
  now += time
  for (const one of [here, there]) await keepHouse(one)
}

it('removes the queries of a subscriber that never logs in, on all nodes', async () => {
  const { id } = subscriber()
  await subscribeNew(id)
  await pass(RETENTION_MS - 1)
  expect(known(id)[0]).toBe(1)
  await pass(2)
  await expect.poll(() => known(id)).toEqual([0, 0])
  expect(here.known.classes.get('A')).toBeUndefined()
})

it('keeps the queries of a subscriber that is connected to any node', async () => {
  const one = subscriber()
  await subscribeNew(one.id)
  await logIn(there, one, () => {})
  for (let n = 0; n < 5; n++) await pass(RETENTION_MS / 2)
  expect(known(one.id)).toEqual([1, 1])
  await lose(there, one)
  await pass(RETENTION_MS - 1)
  expect(known(one.id)).toEqual([1, 1])
  await logIn(here, one, () => {})
  await pass(RETENTION_MS - 1)
  expect(known(one.id)).toEqual([1, 1])
  await lose(here, one)
  await pass(RETENTION_MS + 1)
  await expect.poll(() => known(one.id)).toEqual([0, 0])
})

it('gives a query the same id when it is subscribed to again', async () => {
  const { id } = subscriber()
  const first = await subscribeNew(id)
  await pass(RETENTION_MS + 1)
  expect(known(id)[0]).toBe(0)
  expect(await subscribeNew(id)).toBe(first)
  expect(known(id)[0]).toBe(1)
})

it('removes thousands at once', async () => {
  const ids = Array.from({ length: 1200 }, (_, n) => `crowd ${n}`)
  await objects.database.query({
    strings: [
      `INSERT INTO "${schemaOf(objects.appId)}"."$live_subscribers" (id, seen_at) SELECT id, '2029-01-01' FROM unnest(`,
      '::text[]) AS id',
    ],
    parts: [ids],
  })
  await keepHouse(here)
  expect(await here.table.outdatedSubscribers('crowd')).not.toContain('crowd 0')
})

it('does not open classes to a subscriber by the master key', async () => {
  const body = { id: 's', query: { className: '_User' } }
  await expect(subscribe(here, body, MASTER)).rejects.toMatchObject({ code: 403 })
})
