import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { Apps } from '../apps/apps.ts'
import type { Bus } from '../bus/bus.ts'
import { localBus } from '../bus/local-bus.ts'
import { sql } from '../database/sql.ts'
import { SubscriberApps } from './subscriber-apps.ts'

const database = await scratchDatabase()
const { id: appId } = await new Apps(database).create('subscribers', 'owner@example.org')

function node(bus: Bus = localBus()): SubscriberApps {
  const apps = new SubscriberApps({ database, bus, alone: false, log: pino({ level: 'silent' }) })
  onTestFinished(() => apps.stop())
  return apps
}

/** Waits for a subscriber. @returns the apps that are found, as they arrive */
function wait(apps: SubscriberApps, subscriberId: string) {
  const found: string[] = []
  return { found, end: apps.wait(subscriberId, (id) => void found.push(id)) }
}

const store = (id: string) =>
  database.query(sql`INSERT INTO homeport.live_subscribers (id, app_id) VALUES (${id}, ${appId})`)

it('returns the app of each of several concurrent lookups', async () => {
  const apps = node()
  await store('stored')
  expect(await Promise.all(['stored', 'unknown', 'stored'].map((id) => apps.find(id)))).toEqual([appId, null, appId])
})

it('notifies a waiter when the subscriber subscribes, synchronously on the same node, eventually on others', async () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const waiting = [wait(here, 'a'), wait(here, 'a'), wait(there, 'a')]
  const other = wait(here, 'b')
  await here.subscribed('a', appId)
  expect(waiting.slice(0, 2).map(({ found }) => found)).toEqual([[appId], [appId]])
  await expect.poll(() => waiting[2]!.found).toEqual([appId])
  expect(other.found).toEqual([])
})

it('does not notify a waiter that has stopped waiting', async () => {
  const apps = node()
  const [gone, still] = [wait(apps, 'a'), wait(apps, 'a')]
  gone.end()
  await apps.subscribed('a', appId)
  still.end()
  await apps.subscribed('a', appId)
  expect([gone.found, still.found]).toEqual([[], [appId]])
})

it('notifies the other waiters when one fails', async () => {
  const apps = node()
  apps.wait('a', async () => {
    throw new Error('gone')
  })
  const { found } = wait(apps, 'a')
  await apps.subscribed('a', appId)
  expect(found).toEqual([appId])
})

it('finds subscriptions from an outage when the nodes are connected again', async () => {
  const { bus, breakOff, restore: mend } = breakableBus()
  const [here, there] = [node(bus), node(bus)]
  const { found } = wait(there, 'missed')
  breakOff()
  await store('missed')
  await here.subscribed('missed', appId)
  expect(found).toEqual([])
  mend()
  await expect.poll(() => found).toEqual([appId])
})
