import { expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { schemaOf } from '../../apps/apps.ts'
import { sql } from '../../database/sql.ts'
import { INSTALLATION, pushTables } from '../push.ts'
import { noteLogins } from './device-logins.ts'

const { database, messaging } = await makeMessaging()
const tables = pushTables(schemaOf(messaging.appId))
const installations = () => messaging.objects.classes.get(INSTALLATION)!.table
const noteLogin = noteLogins(database, tables, installations)

async function install(installationId: string, fields: object): Promise<void> {
  await database.query(sql`
    INSERT INTO ${installations()} (id, created_at, updated_at, data)
    VALUES (${installationId}, now(), '2026-01-05', ${JSON.stringify({ installationId, ...fields })}::jsonb)`)
}

async function isValid(installationId: string): Promise<unknown> {
  const [row] = await database.query(sql`
    SELECT data->'valid' AS valid FROM ${installations()} WHERE id = ${installationId}`)
  return JSON.parse(String(row!.valid))
}

it('makes an installation valid with its first login, and no other installation', async () => {
  await install('new', { valid: false, channels: ['news'] })
  await install('another', { valid: false })
  await noteLogin('new')
  expect([await isValid('new'), await isValid('another')]).toEqual([true, false])
})

it('keeps an installation invalid that was made invalid later', async () => {
  await install('opted out', { valid: true })
  await noteLogin('opted out')
  await database.query(sql`
    UPDATE ${installations()} SET data = data || '{"valid":false}' WHERE id = 'opted out'`)
  await noteLogin('opted out')
  expect(await isValid('opted out')).toBe(false)
})

it('numbers each login higher than the previous one, by its time', async () => {
  const numbers = [await noteLogin('often'), await noteLogin('often'), await noteLogin('often')]
  expect(numbers[1]).toBeGreaterThan(numbers[0]!)
  expect(numbers[2]).toBeGreaterThan(numbers[1]!)
  expect(Math.abs(numbers[2]! - Date.now())).toBeLessThan(10_000)
  const [row] = await database.query(sql`
    SELECT (extract(epoch FROM last_at) * 1000)::bigint AS at FROM ${tables.logins} WHERE installation_id = 'often'`)
  expect(row!.at).toBe(numbers[2])
})

it('records many concurrent logins with few statements', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => `device ${index}`)
  const statements = vi.spyOn(database, 'query')
  const numbers = await Promise.all([...ids, 'device 0'].map(noteLogin))
  expect(statements).toHaveBeenCalled()
  expect(statements.mock.calls.length).toBeLessThan(5)
  statements.mockRestore()
  expect(numbers.every((number) => number > 0)).toBe(true)
})
