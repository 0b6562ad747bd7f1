import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { schemaOf } from '../../apps/apps.ts'
import { identifier, raw, sql } from '../../database/sql.ts'
import { ClassRegistry } from '../../objects/classes/classes.ts'
import { userPointer } from './friendship.ts'

const { push, database } = await makePush()
const schema = schemaOf(push.appId)
const migration = readFileSync(
  new URL('../../database/app-migrations/0022_one_friendship_a_pair.sql', import.meta.url),
  'utf8',
)
const table = identifier(schema, '_Followee')

it('keeps the latest of several follows between the same users when an app is opened', async () => {
  await database.query(sql`DROP INDEX ${identifier(schema, 'followee_pair')}`)
  const rows: [id: string, age: number, data: object][] = [
    ['a', 3, { user: userPointer('ann'), followee: userPointer('bob') }],
    ['b', 1, { user: userPointer('ann'), followee: userPointer('bob') }],
    ['c', 2, { user: userPointer('bob'), followee: userPointer('ann') }],
    ['d', 1, { user: userPointer('ann') }],
    ['e', 2, { user: userPointer('ann') }],
  ]
  for (const [id, age, data] of rows) {
    await database.query(sql`
      INSERT INTO ${table} (id, created_at, updated_at, data)
      VALUES (${id}, now(), now() - ${`${age} hours`}::interval, ${JSON.stringify(data)}::jsonb)`)
  }
  await database.transaction(async (transaction) => {
    await transaction.query(sql`SET LOCAL search_path = ${identifier(schema)}, homeport, public`)
    await transaction.query(raw(migration))
  })
  await new ClassRegistry(database, schema).open()
  const left = await database.query(sql`SELECT id FROM ${table} ORDER BY id`)
  expect(left.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e'])
  const again = sql`
    INSERT INTO ${table} (id, created_at, updated_at, data)
    SELECT 'f', now(), now(), data FROM ${table} WHERE id = 'b'`
  await expect(database.query(again)).rejects.toThrow('followee_pair')
})
