import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import type { JsonObject } from '../../values/json.ts'
import { installationTable } from '../push.ts'
import { saveInstallation, updateInstallation } from './installation-save.ts'

const bench = await makePush()
const { push, database } = bench

const CLIENT: Caller = { master: false, userId: null, grants: [] }
const PLAIN = { where: null, fetch: false }
const TOKEN = 'a1'.repeat(32)
const OTHER_TOKEN = 'b2'.repeat(32)

const save = (body: JsonObject, caller = CLIENT) => saveInstallation(push, body, false, caller)
const change = (id: string, body: JsonObject, caller = CLIENT) => updateInstallation(push, id, body, PLAIN, caller)

async function stored(condition: Sql = sql`TRUE`): Promise<Map<string, JsonObject>> {
  const rows = await database.query(sql`SELECT id, data FROM ${installationTable(push)} WHERE ${condition}`)
  return new Map(rows.map((row) => [String(row.id), JSON.parse(String(row.data))]))
}

beforeEach(async () => {
  await bench.clear()
  await database.query(sql`DELETE FROM ${push.tables.logins}`)
})

describe('a device', () => {
  it.each(['installationId', 'deviceToken'])('that is known by its %s keeps its record', async (key) => {
    const id = { installationId: 'phone', deviceToken: TOKEN }[key]!
    const made = await save({ [key]: id, channels: ['news'], level: 1 })
    const again = await save({ [key]: id, level: 2 })
    expect([made.isNew, again.isNew, again.id]).toEqual([true, false, made.id])
    expect(JSON.parse(again.text)).toEqual({
      objectId: made.id,
      createdAt: JSON.parse(made.text).createdAt,
      updatedAt: expect.any(String),
    })
    expect([...(await stored())]).toEqual([[made.id, expect.objectContaining({ channels: ['news'], level: 2 })]])
  })

  it('with two records keeps the one with its installation id, and the other is deleted', async () => {
    const [byId, byToken] = [await save({ installationId: 'phone', a: 1 }), await save({ deviceToken: TOKEN, b: 1 })]
    expect(byToken.id).not.toBe(byId.id)
    const merged = await save({ installationId: 'phone', deviceToken: TOKEN })
    expect(merged.id).toBe(byId.id)
    expect([...(await stored()).keys()]).toEqual([byId.id])
  })

  it('that is known by its token alone gets the installation id added', async () => {
    const made = await save({ deviceToken: TOKEN })
    expect((await save({ deviceToken: TOKEN, installationId: 'phone' })).id).toBe(made.id)
    expect((await save({ installationId: 'phone' })).id).toBe(made.id)
  })

  it('that names its record keeps it when its token has changed, and takes the token from another record', async () => {
    const made = await save({ deviceType: 'ios', deviceToken: TOKEN })
    const other = await save({ deviceType: 'ios', deviceToken: OTHER_TOKEN })
    expect((await save({ objectId: made.id, deviceToken: OTHER_TOKEN })).id).toBe(made.id)
    const records = await stored()
    expect(records.get(made.id)).toMatchObject({ deviceToken: OTHER_TOKEN })
    expect(records.has(other.id)).toBe(false)
  })

  it('that names a record with another installation id does not get it', async () => {
    const made = await save({ installationId: 'phone' })
    const restored = await save({ objectId: made.id, installationId: 'another phone' })
    expect(restored.isNew).toBe(true)
    expect((await stored()).get(made.id)).toMatchObject({ installationId: 'phone' })
  })

  it('without ids is an ordinary object, created by each save', async () => {
    const bodies = [{}, { installationId: '' }, { deviceToken: '', installationId: null }]
    const ids = await Promise.all(bodies.map(async (body) => (await save(body)).id))
    const records = await stored()
    expect(records.size).toBe(3)
    for (const id of ids) {
      expect(records.get(id)).not.toHaveProperty('installationId')
      expect(records.get(id)).not.toHaveProperty('deviceToken')
    }
  })

  it('keeps ids that a later save leaves empty', async () => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await save({ installationId: 'phone', deviceToken: '' })
    await save({ installationId: { __op: 'Delete' }, deviceToken: TOKEN })
    expect((await stored()).get(id)).toMatchObject({ installationId: 'phone', deviceToken: TOKEN })
  })

  it('that is saved 50 times concurrently has one record', async () => {
    const saves = Array.from({ length: 50 }, (_, index) =>
      save({ installationId: 'new phone', [`f${index % 5}`]: index }, index % 2 === 0 ? CLIENT : MASTER),
    )
    const ids = (await Promise.all(saves)).map(({ id }) => id)
    expect([...(await stored()).keys()]).toEqual([ids[0]])
    expect(new Set(ids).size).toBe(1)
  })

  it('whose two ids are saved separately and together at once has one record for each', async () => {
    const bodies = Array.from(
      { length: 30 },
      (_, index) =>
        [{ installationId: 'phone' }, { deviceToken: TOKEN }, { installationId: 'phone', deviceToken: TOKEN }][
          index % 3
        ]!,
    )
    await Promise.all(bodies.map((body) => save(body)))
    await save({ installationId: 'phone', deviceToken: TOKEN })
    expect([...(await stored()).values()]).toEqual([
      expect.objectContaining({ installationId: 'phone', deviceToken: TOKEN }),
    ])
  })

  it('whose record is write-protected from the caller is not changed, and neither are others', async () => {
    const made = await save({ installationId: 'phone', ACL: { owner: { read: true, write: true } } })
    const other = await save({ deviceToken: TOKEN })
    await expect(save({ installationId: 'phone', deviceToken: TOKEN })).rejects.toMatchObject({ code: 403 })
    expect(new Set((await stored()).keys())).toEqual(new Set([made.id, other.id]))
  })
})

describe('an update of an installation', () => {
  it('takes a token from another record, which is deleted', async () => {
    const [phone, old] = [await save({ installationId: 'phone' }), await save({ deviceToken: TOKEN })]
    const answer = await change(phone.id, { deviceToken: TOKEN })
    expect(answer).toEqual({ objectId: phone.id, updatedAt: expect.any(String) })
    expect([...(await stored())]).toEqual([[phone.id, expect.objectContaining({ deviceToken: TOKEN })]])
    expect((await stored()).has(old.id)).toBe(false)
  })

  it('leaves the other record unchanged when it fails', async () => {
    const old = await save({ deviceToken: TOKEN })
    await database.query(sql`
      INSERT INTO ${push.tables.deadTokens} VALUES (${TOKEN}, now())`)
    await expect(change('missing', { deviceToken: TOKEN })).rejects.toMatchObject({ code: 1 })
    expect([...(await stored()).keys()]).toEqual([old.id])
    expect(await database.query(sql`SELECT FROM ${push.tables.deadTokens}`)).toHaveLength(1)
  })

  it('of several records to one token at once leaves the token with one of them, and deletes no more than necessary', async () => {
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((installationId) => save({ installationId })))
    const outcomes = await Promise.allSettled(made.map(({ id }) => change(id, { deviceToken: TOKEN })))
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
    const holders = [...(await stored()).values()].filter(({ deviceToken }) => deviceToken === TOKEN)
    expect(holders).toHaveLength(1)
  })

  it.each<[string, JsonObject]>([
    ['null', { installationId: null }],
    ['an empty text', { deviceToken: '' }],
    ['a Delete', { deviceToken: { __op: 'Delete' } }],
    ['a Batch', { installationId: { __op: 'Batch', ops: [{ __op: 'Delete' }] } }],
  ])('by a client does not remove an id: %s', async (_, body) => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await expect(change(id, body)).rejects.toMatchObject({ code: 119 })
    expect((await stored()).get(id)).toMatchObject({ installationId: 'phone', deviceToken: TOKEN })
  })

  it('with the master key can remove an id', async () => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await change(id, { deviceToken: { __op: 'Delete' } }, MASTER)
    expect((await stored()).get(id)).not.toHaveProperty('deviceToken')
  })
})

it.each(['POST', 'PUT'])('clears the invalid mark of a token that is saved with %s', async (method) => {
  const { id } = await save({ installationId: 'phone' })
  await database.query(sql`
    INSERT INTO ${push.tables.deadTokens} SELECT token, now() FROM unnest(${[TOKEN, OTHER_TOKEN]}::text[]) AS token`)
  if (method === 'POST') await save({ installationId: 'phone', deviceToken: TOKEN })
  else await change(id, { deviceToken: TOKEN })
  expect(await database.query(sql`SELECT token FROM ${push.tables.deadTokens}`)).toEqual([{ token: OTHER_TOKEN }])
})

describe('a new installation is', () => {
  const vendor = { deviceType: 'android', vendor: 'HMS', registrationId: 'r' }
  it.each<[string, JsonObject, JsonObject]>([
    ['valid on iOS, and its badge 0', { deviceType: 'ios', deviceToken: TOKEN }, { valid: true, badge: 0 }],
    ['valid on macOS', { deviceType: 'macos', deviceToken: TOKEN }, { valid: true, badge: 0 }],
    ['explicit values', { deviceType: 'ios', valid: false, badge: 3 }, { valid: false, badge: 3 }],
    ['valid on Android with a vendor', { ...vendor, installationId: 'p' }, { valid: true }],
    ['not valid with another spelling of the vendor', { ...vendor, vendor: 'hms' }, { valid: false }],
    ['not valid with a vendor and no token of it', { ...vendor, registrationId: '' }, { valid: false }],
    ['not valid on the own channel', { deviceType: 'android', installationId: 'p' }, { valid: false }],
  ])('%s', async (_, body, expected) => {
    const { id } = await save(body)
    const data = (await stored()).get(id)!
    expect(data).toMatchObject(expected)
    if (!('badge' in expected)) expect(data).not.toHaveProperty('badge')
  })

  it('valid on the built-in channel when its push connection has been opened', async () => {
    await push.devices.noteLogin('phone')
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    expect((await stored()).get(id)).toMatchObject({ valid: true })
  })

  it('valid also when its push connection is opened while it is being stored', async () => {
    const { transaction } = database
    const spy = vi.spyOn(database, 'transaction').mockImplementationOnce(
      async (work) =>
        transaction.call(database, async (executor) => {
          const result = await work(executor)
          await push.devices.noteLogin('phone')
          return result
        }) as ReturnType<typeof work>,
    )
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    spy.mockRestore()
    expect((await stored()).get(id)).toMatchObject({ valid: true })
  })
})

describe('a device that gets a vendor token', () => {
  const registration = { vendor: 'HMS', registrationId: 'r' }
  it.each(['POST', 'PUT'])('by %s becomes valid', async (method) => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    if (method === 'POST') await save({ installationId: 'phone', ...registration })
    else await change(id, registration)
    expect((await stored()).get(id)).toMatchObject({ valid: true })
  })

  it('a second time does not become valid, because it may have opted out', async () => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone', ...registration })
    await change(id, { valid: false })
    await save({ installationId: 'phone', ...registration })
    await change(id, { registrationId: 'another one' })
    expect((await stored()).get(id)).toMatchObject({ valid: false, registrationId: 'another one' })
  })

  it('and sets valid to false stays invalid', async () => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    await change(id, { ...registration, valid: false })
    expect((await stored()).get(id)).toMatchObject({ valid: false })
  })
})
