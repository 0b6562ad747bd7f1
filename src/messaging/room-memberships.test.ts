import { expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import { RoomMemberships } from './room-memberships.ts'

const { messaging, database } = await makeMessaging()
const { roomMemberships: table } = messaging.tables
const memberships = new RoomMemberships(database, table)

it('removes expired memberships, and not those of the same client or device that are valid', async () => {
  const phone = { clientId: 'tom', deviceId: 'phone' }
  await memberships.keep(phone, 'expired')
  await database.query(sql`UPDATE ${table} SET until_ts = 0`)
  await memberships.keep({ clientId: 'tom', deviceId: 'tablet' }, 'same client')
  await memberships.keep({ clientId: 'jerry', deviceId: 'phone' }, 'same device')
  // Storing a membership of another client deletes expired ones.
  await memberships.keep({ clientId: 'spike', deviceId: null }, 'other')
  const rows = await database.query(sql`SELECT client_id, device, conv_id FROM ${table} ORDER BY conv_id`)
  expect(rows.map(({ conv_id }) => conv_id)).toEqual(['other', 'same client', 'same device'])
  expect(await memberships.take(phone)).toBeNull()
  expect(await memberships.take({ clientId: 'jerry', deviceId: 'phone' })).toBe('same device')
})
