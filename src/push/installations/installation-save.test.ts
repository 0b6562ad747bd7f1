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

  it('with two records keeps the one with its installation id, and the other one is removed', async () => {
    const [byId, byToken] = [await save({ installationId: 'phone', a: 1 }), await save({ deviceToken: TOKEN, b: 1 })]
    expect(byToken.id).not.toBe(byId.id)
    const merged = await save({ installationId: 'phone', deviceToken: TOKEN })
    expect(merged.id).toBe(byId.id)
    expect([...(await stored()).keys()]).toEqual([byId.id])
  })

  it('that is known by its token alone gets the installation id beside it', async () => {
    const made = await save({ deviceToken: TOKEN })
    expect((await save({ deviceToken: TOKEN, installationId: 'phone' })).id).toBe(made.id)
    expect((await save({ installationId: 'phone' })).id).toBe(made.id)
  })

  it('that says which record it is keeps it when its token has changed, and takes the token from another one', async () => {
    const made = await save({ deviceType: 'ios', deviceToken: TOKEN })
    const other = await save({ deviceType: 'ios', deviceToken: OTHER_TOKEN })
    expect((await save({ objectId: made.id, deviceToken: OTHER_TOKEN })).id).toBe(made.id)
    const records = await stored()
    expect(records.get(made.id)).toMatchObject({ deviceToken: OTHER_TOKEN })
    expect(records.has(other.id)).toBe(false)
  })

  it('that says it is a record of another installation is not believed', async () => {
    const made = await save({ installationId: 'phone' })
    const restored = await save({ objectId: made.id, installationId: 'another phone' })
    expect(restored.isNew).toBe(true)
    expect((await stored()).get(made.id)).toMatchObject({ installationId: 'phone' })
  })

  it('without ids is an ordinary object, each time another one', async () => {
    const bodies = [{}, { installationId: '' }, { deviceToken: '', installationId: null }]
    const ids = await Promise.all(bodies.map(async (body) => (await save(body)).id))
    const records = await stored()
    expect(records.size).toBe(3)
    for (const id of ids) {
      expect(records.get(id)).not.toHaveProperty('installationId')
      expect(records.get(id)).not.toHaveProperty('deviceToken')
    }
  })

  it('keeps the ids that a later save leaves empty', async () => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await save({ installationId: 'phone', deviceToken: '' })
    await save({ installationId: { __op: 'Delete' }, deviceToken: TOKEN })
    expect((await stored()).get(id)).toMatchObject({ installationId: 'phone', deviceToken: TOKEN })
  })

  it('that is saved 50 times at once has one record, whoever saves it', async () => {
    const saves = Array.from({ length: 50 }, (_, index) =>
      save({ installationId: 'new phone', [`f${index % 5}`]: index }, index % 2 === 0 ? CLIENT : MASTER),
    )
    const ids = (await Promise.all(saves)).map(({ id }) => id)
    expect([...(await stored()).keys()]).toEqual([ids[0]])
    expect(new Set(ids).size).toBe(1)
  })

  it('whose two ids are saved apart and together at once ends with one record for each', async () => {
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

  it('whose record is protected from the caller is not changed, and nothing else is', async () => {
    const made = await save({ installationId: 'phone', ACL: { owner: { read: true, write: true } } })
    const other = await save({ deviceToken: TOKEN })
    await expect(save({ installationId: 'phone', deviceToken: TOKEN })).rejects.toMatchObject({ code: 403 })
    expect(new Set((await stored()).keys())).toEqual(new Set([made.id, other.id]))
  })
})

describe('a change of an installation', () => {
  it('takes a token from the record that holds it, which is removed', async () => {
    const [phone, old] = [await save({ installationId: 'phone' }), await save({ deviceToken: TOKEN })]
    const answer = await change(phone.id, { deviceToken: TOKEN })
    expect(answer).toEqual({ objectId: phone.id, updatedAt: expect.any(String) })
    expect([...(await stored())]).toEqual([[phone.id, expect.objectContaining({ deviceToken: TOKEN })]])
    expect((await stored()).has(old.id)).toBe(false)
  })

  it('that fails leaves the other record as it is', async () => {
    const old = await save({ deviceToken: TOKEN })
    await database.query(sql`
      INSERT INTO ${push.tables.deadTokens} VALUES (${TOKEN}, now())`)
    await expect(change('missing', { deviceToken: TOKEN })).rejects.toMatchObject({ code: 1 })
    expect([...(await stored()).keys()]).toEqual([old.id])
    expect(await database.query(sql`SELECT FROM ${push.tables.deadTokens}`)).toHaveLength(1)
  })

  it('to one token in several records at once leaves the token with one of them, and removes no more than it must', async () => {
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
  ])('by a client takes no id away: %s', async (_, body) => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await expect(change(id, body)).rejects.toMatchObject({ code: 119 })
    expect((await stored()).get(id)).toMatchObject({ installationId: 'phone', deviceToken: TOKEN })
  })

  it('with the master key may take an id away', async () => {
    const { id } = await save({ installationId: 'phone', deviceToken: TOKEN })
    await change(id, { deviceToken: { __op: 'Delete' } }, MASTER)
    expect((await stored()).get(id)).not.toHaveProperty('deviceToken')
  })
})

it.each(['POST', 'PUT'])('a token that comes with a %s is dead no more', async (method) => {
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
    ['what it says itself', { deviceType: 'ios', valid: false, badge: 3 }, { valid: false, badge: 3 }],
    ['valid on Android with a vendor', { ...vendor, installationId: 'p' }, { valid: true }],
    ['not valid with a vendor that is spelled otherwise', { ...vendor, vendor: 'hms' }, { valid: false }],
    ['not valid with a vendor and no token of it', { ...vendor, registrationId: '' }, { valid: false }],
    ['not valid on the own channel', { deviceType: 'android', installationId: 'p' }, { valid: false }],
  ])('%s', async (_, body, expected) => {
    const { id } = await save(body)
    const data = (await stored()).get(id)!
    expect(data).toMatchObject(expected)
    if (!('badge' in expected)) expect(data).not.toHaveProperty('badge')
  })

  it('valid on the own channel when its push connection has been opened', async () => {
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

describe('a device that gets the token of a vendor', () => {
  const registration = { vendor: 'HMS', registrationId: 'r' }
  it.each(['POST', 'PUT'])('by %s becomes valid', async (method) => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    if (method === 'POST') await save({ installationId: 'phone', ...registration })
    else await change(id, registration)
    expect((await stored()).get(id)).toMatchObject({ valid: true })
  })

  it('again does not, for it may have opted out', async () => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone', ...registration })
    await change(id, { valid: false })
    await save({ installationId: 'phone', ...registration })
    await change(id, { registrationId: 'another one' })
    expect((await stored()).get(id)).toMatchObject({ valid: false, registrationId: 'another one' })
  })

  it('and says that it wants no pushes stays invalid', async () => {
    const { id } = await save({ deviceType: 'android', installationId: 'phone' })
    await change(id, { ...registration, valid: false })
    expect((await stored()).get(id)).toMatchObject({ valid: false })
  })
})
