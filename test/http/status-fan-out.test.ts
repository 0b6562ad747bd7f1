import { expect, inject, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { holdInbox } from '../support/held-inbox.ts'
import { makePeople, type Person, writeFollowers } from '../support/social.ts'

const app = await makeApp()
const [ann, bo] = await makePeople(app, 'ann', 'bo')

/** Pages of a fan-out have 200 objects. */
const WAIT = { timeout: 60_000, interval: 20 }

const followersOf = ({ pointer }: Person) => ({ className: '_Follower', where: { user: pointer }, keys: 'follower' })

function post(person: Person, text: string, inboxType = 'default') {
  const body = { query: followersOf(person), data: { text }, inboxType }
  return app.request('POST', '/1.1/statuses', { body, session: person.session })
}

async function sent(person: Person, text: string, inboxType?: string): Promise<string> {
  const { status, body } = await post(person, text, inboxType)
  expect([status, body.error]).toEqual([201, undefined])
  return body.objectId
}

const isDone = async () => (await app.sql('SELECT FROM "$fan_outs"')).rows.length === 0

async function ownersOf(statusId: string): Promise<string[]> {
  const { rows } = await app.sql('SELECT owner_id FROM "$inbox_entries" WHERE status_id = $1 ORDER BY 1', [statusId])
  return rows.map(({ owner_id }) => owner_id)
}

it('responds before a status has reached thousands, and delivers once to each while users join and leave', {
  timeout: 120_000,
}, async () => {
  const ids = await writeFollowers(app, ann.id, 8000)
  const held = await holdInbox(inject('databaseUrl'), app.appId, ids[5000]!)
  const status = await sent(ann, 'to thousands')
  expect(await ownersOf(status)).toContain(ids[0])
  await held.untilWaiting(1)
  const before = await ownersOf(status)
  expect(before.length).toBeGreaterThan(4000)
  expect(before.length).toBeLessThanOrEqual(5001)

  const unfollow = (id: string) => app.sql('DELETE FROM "_Follower" WHERE id = $1', [id])
  // One follower that has the status, and one that does not.
  await unfollow(ids[100]!)
  await unfollow(ids[7000]!)
  // A follower that has the status follows again, with a later row.
  await unfollow(ids[300]!)
  await app.sql(
    `INSERT INTO "_Follower" (id, created_at, updated_at, data)
     SELECT 'follower9', created_at, updated_at,
       data || jsonb_build_object('follower', jsonb_build_object(
         '__type', 'Pointer', 'className', '_User', 'objectId', $1::text))
     FROM "_Follower" WHERE id = $2`,
    [ids[300], ids[301]],
  )
  const [late] = await writeFollowers(app, ann.id, 1, 'zlate')
  await held.release()

  await expect.poll(isDone, WAIT).toBe(true)
  const expected = [...ids.filter((id) => id !== ids[7000]), late, ann.id]
  expect(await ownersOf(status)).toEqual(expected.toSorted())
  const { rows } = await app.sql('SELECT DISTINCT last_id FROM "$inboxes"')
  expect(rows).toEqual([{ last_id: 2 }])
})

it('deleting a status stops its fan-out and removes delivered copies', { timeout: 120_000 }, async () => {
  const [cy] = await makePeople(app, 'cy')
  const ids = await writeFollowers(app, cy.id, 3000, 'deleted')
  const held = await holdInbox(inject('databaseUrl'), app.appId, ids[2500]!)
  const status = await sent(cy, 'gone soon')
  await held.untilWaiting(1)
  const deleting = app.request('DELETE', `/1.1/statuses/${status}`, { session: cy.session })
  await held.release()
  expect((await deleting).status).toBe(200)
  await expect.poll(isDone, WAIT).toBe(true)
  await expect.poll(() => ownersOf(status), WAIT).toEqual([])
})

it('a fan-out stops when its sender may no longer query the audience', { timeout: 120_000 }, async () => {
  const [dee] = await makePeople(app, 'dee')
  const ids = await writeFollowers(app, dee.id, 3000, 'closed')
  const held = await holdInbox(inject('databaseUrl'), app.appId, ids[700]!)
  const status = await sent(dee, 'to some')
  await held.untilWaiting(1)
  await app.admin('PATCH', '/classes/_Follower', { permissions: { find: 'master' } })
  await held.release()
  await expect.poll(isDone, WAIT).toBe(true)
  await app.admin('PATCH', '/classes/_Follower', { permissions: { find: 'public' } })
  // Only the page found before.
  expect((await ownersOf(status)).length).toBe(801)
})

it('limits concurrent fan-outs of a user to twenty', { timeout: 120_000 }, async () => {
  const [eve] = await makePeople(app, 'eve')
  const ids = await writeFollowers(app, eve.id, 300, 'crowd')
  const held = await holdInbox(inject('databaseUrl'), app.appId, ids[250]!)
  const replies = await Promise.all(Array.from({ length: 24 }, (_, n) => post(eve, `number ${n}`)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), ...Array(4).fill(429)])
  await held.release()
  await expect.poll(isDone, WAIT).toBe(true)
  expect((await post(eve, 'one more')).status).toBe(201)
  await expect.poll(isDone, WAIT).toBe(true)
  const { rows } = await app.sql(`SELECT owner_id FROM "$inboxes" WHERE owner_id LIKE 'crowd%' AND last_id <> 22`)
  expect(rows).toEqual([])
})

it('polling for new statuses misses none while many are sent concurrently', { timeout: 60_000 }, async () => {
  const [fay] = await makePeople(app, 'fay')
  const send = (n: number) =>
    app.request('POST', '/1.1/statuses', {
      body: {
        query: { className: '_User', where: { objectId: fay.id } },
        data: { text: String(n) },
        inboxType: 'many',
      },
      session: bo.session,
    })
  let isSending = true
  const seen: string[] = []
  const reading = (async () => {
    for (let since = 0, isLast = false; !isLast; ) {
      isLast = !isSending
      const { body } = await app.request('GET', '/1.1/subscribe/statuses', {
        session: fay.session,
        query: { inboxType: 'many', sinceId: String(since), order: 'messageId' },
      })
      for (const { text, messageId } of body.results) {
        seen.push(text)
        since = messageId
      }
    }
  })()
  const all = Array.from({ length: 60 }, (_, n) => n)
  const replies = await Promise.all(all.map(send))
  isSending = false
  await reading
  expect(replies.map(({ status }) => status)).toEqual(all.map(() => 201))
  expect(seen.toSorted()).toEqual(all.map(String).toSorted())
  const { body } = await app.request('GET', '/1.1/subscribe/statuses', {
    session: fay.session,
    query: { inboxType: 'many' },
  })
  expect(body.results.map(({ messageId }: { messageId: number }) => messageId)).toEqual(all.map((n) => 61 - n))
})
