import { beforeEach, describe, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { installationTable } from '../push.ts'
import { bindClient, channelOf, unbindClient } from './client-channels.ts'
import { isChannel } from './installation-rules.ts'

const bench = await makePush()
const { push, database } = bench

const LONG_AGO = '2026-01-05 00:00:00+00'

async function install(fields: JsonObject): Promise<void> {
  await bench.install([fields])
  await database.query(sql`UPDATE ${installationTable(push)} SET updated_at = ${LONG_AGO}::timestamptz`)
}

async function stored(): Promise<{ channels: unknown; updatedAt: unknown }> {
  const [row] = await database.query(sql`
    SELECT data->'channels' AS channels, updated_at FROM ${installationTable(push)} ORDER BY id`)
  return { channels: row!.channels === null ? null : JSON.parse(String(row!.channels)), updatedAt: row!.updated_at }
}

beforeEach(() => bench.clear())

describe('a client', () => {
  it.each([
    ['its installation id', { installationId: 'phone' }, 'phone'],
    ['its device token', { deviceToken: 'ab'.repeat(32) }, 'ab'.repeat(32)],
  ])('is bound to the device with %s', async (_, fields, deviceId) => {
    await install(fields)
    await bindClient(push, 'tom', deviceId)
    const { channels, updatedAt } = await stored()
    expect(channels).toEqual(['tom'])
    expect(updatedAt).not.toBe(LONG_AGO)
  })

  it.each([[null], [['tom']], [['news']]])(
    'is added to the channels %j, and leaves the others when it logs out',
    async (channels) => {
      await install({ installationId: 'phone', channels })
      await bindClient(push, 'tom', 'phone')
      const others = (channels ?? []).filter((channel) => channel !== 'tom')
      expect((await stored()).channels).toEqual([...others, 'tom'])
      await unbindClient(push, 'tom', 'phone')
      expect((await stored()).channels).toEqual(others)
    },
  )

  it('that is already bound, or is unbound without having been bound, changes nothing', async () => {
    await install({ installationId: 'phone', channels: ['tom'] })
    await bindClient(push, 'tom', 'phone')
    await unbindClient(push, 'jerry', 'phone')
    expect(await stored()).toEqual({ channels: ['tom'], updatedAt: LONG_AGO })
  })

  it('is bound to no other device', async () => {
    await install({ installationId: 'phone', channels: [] })
    for (const deviceId of ['tablet', '', 'null']) {
      await bindClient(push, 'tom', deviceId)
      await unbindClient(push, 'tom', deviceId)
    }
    expect(await stored()).toEqual({ channels: [], updatedAt: LONG_AGO })
  })

  it('whose id is not a valid channel is bound by an encoded one', async () => {
    await install({ installationId: 'phone' })
    await bindClient(push, 'tom@example.com', 'phone')
    expect((await stored()).channels).toEqual([channelOf('tom@example.com')])
    await unbindClient(push, 'tom@example.com', 'phone')
    expect((await stored()).channels).toEqual([])
  })

  it('is bound concurrently with others', async () => {
    await install({ installationId: 'phone' })
    const clients = Array.from({ length: 10 }, (_, index) => `c${index}`)
    await Promise.all(clients.map((client) => bindClient(push, client, 'phone')))
    expect(((await stored()).channels as string[]).toSorted()).toEqual(clients)
  })
})

describe('the channel of a client', () => {
  it.each(['tom', '3f2a-00', '汤姆', 'a=b'])('is its id: %s', (id) => {
    expect(channelOf(id)).toBe(id)
  })

  it('is valid for any id, and different for every id', () => {
    const ids = ['tom', 'tom@example.com', 'a b', 'a.b', '😀', '=', '=dG9t', 'dG9t', channelOf('a b'), '\n']
    const channels = ids.map(channelOf)
    expect(channels.every(isChannel)).toBe(true)
    expect(new Set(channels).size).toBe(ids.length)
  })
})
