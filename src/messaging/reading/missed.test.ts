import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import type { Database } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { Missed } from './missed.ts'

const { messaging, database } = await makeMessaging()

/** A statement that has begun and waits for `finish`. */
interface Running {
  readonly principal: Principal | undefined
  finish(): void
}

/** Lookups over a database whose statements wait, so that a test sees which run at the same time. */
function heldLookups() {
  const running: Running[] = []
  const began: Running[] = []
  let isHeld = false
  const searchPlanned: Database['searchPlanned'] = async (statement: Sql, principal?: Principal) => {
    // A slow statement about several clients triggers the search for heavy ones among them.
    if (!isHeld) await sleep(120)
    else
      await new Promise<void>((resolve) => {
        const finish = () => {
          running.splice(running.indexOf(item), 1)
          resolve()
        }
        const item: Running = { principal, finish }
        running.push(item)
        began.push(item)
      })
    return database.searchPlanned(statement, principal)
  }
  const held = Object.assign(Object.create(database) as Database, {
    searchPlanned,
    search: database.search.bind(database),
  })
  const missed = new Missed({ ...messaging, database: held })
  onTestFinished(() => {
    for (const item of [...running]) item.finish()
  })
  return { missed, running, began, hold: () => (isHeld = true) }
}

const from = (address: string): Principal => ({ app: 'app', address, user: '' })
const absence = (clientId: string) => ({ clientId, unreadSince: null, patchesSince: null })

/** Makes subscriptions, which count as conversations and need no records. */
async function subscribe(clientId: string): Promise<void> {
  await database.query(sql`
    INSERT INTO ${messaging.tables.subscriptions} (conv_id, client_id, since_ts)
    SELECT 'system' || number, ${clientId}, 0
    FROM generate_series(1, 1000) AS number`)
}

it('charges a statement to the address of its clients, and to the app if there are several', async () => {
  const { missed, began, hold } = heldLookups()
  hold()
  const lookups = [missed.unread(absence('ann'), from('one')), missed.unread(absence('bob'), from('one'))]
  await expect.poll(() => began.length).toBe(1)
  began[0]!.finish()
  await Promise.all(lookups)
  lookups.push(missed.unread(absence('ann'), from('one')), missed.unread(absence('cat'), from('two')))
  await expect.poll(() => began.length).toBe(2)
  began[1]!.finish()
  await Promise.all(lookups)
  expect(began.map(({ principal }) => principal)).toEqual([from('one'), undefined])
})

it('runs lookups of heavy clients one at a time, charged to their address, while others continue', async () => {
  await Promise.all(['first', 'second', 'third'].map(subscribe))
  const { missed, running, began, hold } = heldLookups()
  await Promise.all(['first', 'second', 'third', 'light'].map((clientId) => missed.unread(absence(clientId))))
  // Once they are known to be heavy, no statement checks whether they may have missed something.
  await expect.poll(() => missed.missedKinds(absence('first'), from('one'))).toEqual({ unread: true, patches: false })
  hold()
  const lookups = [
    missed.unread(absence('first'), from('one')),
    missed.missedKinds({ ...absence('second'), patchesSince: 1 }, from('one')),
    missed.unread(absence('third'), from('two')),
  ]
  const light = missed.unread(absence('light'), from('three'))
  await expect.poll(() => running.map(({ principal }) => principal?.address).toSorted()).toEqual(['one', 'three'])
  running.find(({ principal }) => principal?.address === 'three')!.finish()
  await light
  for (const _ of lookups) {
    await expect.poll(() => running.length).toBe(1)
    running[0]!.finish()
  }
  await Promise.all(lookups)
  const heavy = began.map(({ principal }) => principal?.address).filter((address) => address !== 'three')
  expect(heavy.toSorted()).toEqual(['one', 'one', 'two'])
})
