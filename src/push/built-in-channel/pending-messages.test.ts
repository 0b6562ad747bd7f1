import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { schemaOf } from '../../apps/apps.ts'
import { sql } from '../../database/sql.ts'
import { pushTables } from '../push.ts'
import { PENDING_PAGE, PendingMessages } from './pending-messages.ts'

const { database, messaging } = await makeMessaging()
const tables = pushTables(schemaOf(messaging.appId))
const messages = new PendingMessages(database, tables)

let count = 0
let phone = ''
let push = ''

beforeEach(() => {
  count++
  phone = `phone ${count}`
  push = `push ${String(count).padStart(4, '0')}`
})

const later = () => new Date(Date.now() + 60_000)
const store = (id: string, devices: readonly string[], expiry = later(), pushId = id) =>
  messages.store({ id, text: `{"alert":"${id}"}` }, pushId, expiry, devices)
const idsOf = async (device: string) => (await messages.oldest(device)).map(({ id }) => id)

/** Creates a push that is being sent. */
async function startPush(id: string, notificationId: string, startedAt: string) {
  await database.query(sql`
    WITH record AS (
      INSERT INTO ${tables.records} (notification_id, id, created_at, updated_at, msg, target, status, prod, service)
      VALUES (${notificationId}, ${id}, now(), now(), '{}', '{}', 'in-queue', 'prod', 'push')
      ON CONFLICT DO NOTHING
    )
    INSERT INTO ${tables.pushes} (id, notification_id, created_at, request, started_at)
    VALUES (${id}, ${notificationId}, now(), '{}', ${startedAt}::timestamptz)`)
}

async function successesOf(notificationId: string): Promise<unknown> {
  const [record] = await database.query(sql`
    SELECT successes FROM ${tables.records} WHERE notification_id = ${notificationId}`)
  return JSON.parse(String(record!.successes))
}

describe('a stored message', () => {
  it('is sent to each device until it acknowledges it', async () => {
    expect((await store(push, [phone, 'another', phone])).toSorted()).toEqual(['another', phone].toSorted())
    expect(await messages.oldest(phone)).toEqual([{ id: push, text: `{"alert":"${push}"}` }])
    await messages.acknowledge({ installationId: phone, ids: [push] })
    expect(await idsOf(phone)).toEqual([])
    expect(await idsOf('another')).toContain(push)
  })

  it('is stored once when it is repeated', async () => {
    await store(push, [phone])
    expect(await store(push, [phone])).toEqual([phone])
    expect(await idsOf(phone)).toEqual([push])
  })

  it('is skipped when the push has reached the device by another channel', async () => {
    await store(`${push} news`, [phone], later(), push)
    expect(await store(`${push} sport`, [phone, `${phone} too`], later(), push)).toEqual([`${phone} too`])
    expect(await store(push, [phone], later(), push)).toEqual([])
    expect(await idsOf(phone)).toEqual([`${push} news`])
  })

  it('is not sent after it has expired', async () => {
    await store(push, [phone], new Date(Date.now() - 1))
    await store(`${push}x`, [phone])
    expect(await idsOf(phone)).toEqual([`${push}x`])
  })

  it('is sent in the order of the pushes, those of deleted pushes first', async () => {
    await startPush(`${push}a`, push, '2026-01-05T12:00:00Z')
    await startPush(`${push}b`, push, '2026-01-05T11:00:00Z')
    for (const letter of ['a', 'b', 'c']) await store(push + letter, [phone])
    expect(await idsOf(phone)).toEqual([`${push}c`, `${push}b`, `${push}a`])
  })

  it('is sent one page at a time', async () => {
    const ids = Array.from({ length: PENDING_PAGE + 1 }, (_, index) => `${push}${String(index).padStart(3, '0')}`)
    for (const id of ids) await store(id, [phone])
    const page = await idsOf(phone)
    expect(page).toEqual(ids.slice(0, PENDING_PAGE))
    await messages.acknowledge({ installationId: phone, ids: page })
    expect(await idsOf(phone)).toEqual(ids.slice(PENDING_PAGE))
  })

  it('is read for many devices with few statements', async () => {
    const phones = Array.from({ length: 40 }, (_, index) => `${phone} ${index}`)
    await store(push, phones)
    const statements = vi.spyOn(database, 'query')
    const pages = await Promise.all([...phones, phones[0]!].map(idsOf))
    expect(statements).toHaveBeenCalled()
    expect(statements.mock.calls.length).toBeLessThan(6)
    statements.mockRestore()
    expect(pages).toEqual(pages.map(() => [push]))
  })
})

describe('acknowledgements', () => {
  it('that arrive together count every device once, in one statement', async () => {
    const phones = Array.from({ length: 500 }, (_, index) => `${phone} ${index}`)
    await startPush(push, push, '2026-01-05T12:00:00Z')
    await store(push, phones)
    const statements = vi.spyOn(database, 'query')
    const acknowledge = (installationId: string) => messages.acknowledge({ installationId, ids: [push, push] })
    await Promise.all([...phones, ...phones].map(acknowledge))
    expect(statements).toHaveBeenCalled()
    expect(statements.mock.calls.length).toBeLessThan(4)
    statements.mockRestore()
    expect(await successesOf(push)).toEqual({ own: 500 })
    await acknowledge(phones[0]!)
    expect(await successesOf(push)).toEqual({ own: 500 })
  })

  it('are added to the counts of a shared record', async () => {
    await startPush(`${push}a`, push, '2026-01-05T12:00:00Z')
    await startPush(`${push}b`, push, '2026-01-05T12:00:00Z')
    await database.query(sql`UPDATE ${tables.records} SET successes = '{"apns":7}' WHERE notification_id = ${push}`)
    for (const letter of ['a', 'b']) await store(push + letter, [phone])
    await messages.acknowledge({ installationId: phone, ids: [`${push}a`, `${push}b`] })
    expect(await successesOf(push)).toEqual({ apns: 7, own: 2 })
  })

  it('of messages of other devices are ignored', async () => {
    await startPush(push, push, '2026-01-05T12:00:00Z')
    await store(push, [phone])
    await messages.acknowledge({ installationId: 'a stranger', ids: [push] })
    await messages.acknowledge({ installationId: phone, ids: ['something else'] })
    expect([await idsOf(phone), await successesOf(push)]).toEqual([[push], {}])
  })

  it('of several nodes at once are all counted', async () => {
    const other = new PendingMessages(database, tables)
    const phones = Array.from({ length: 200 }, (_, index) => `${phone} ${index}`)
    await startPush(push, push, '2026-01-05T12:00:00Z')
    await store(push, phones)
    await Promise.all(
      phones.map((installationId, index) =>
        (index % 2 === 0 ? other : messages).acknowledge({ installationId, ids: [push] }),
      ),
    )
    expect(await successesOf(push)).toEqual({ own: 200 })
  })
})
