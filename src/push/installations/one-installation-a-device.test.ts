import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { schemaOf } from '../../apps/apps.ts'
import { identifier, raw, sql } from '../../database/sql.ts'
import { ClassRegistry } from '../../objects/classes/classes.ts'
import { installationTable } from '../push.ts'

const { push, database } = await makePush()
const schema = schemaOf(push.appId)
const migration = readFileSync(
  new URL('../../database/app-migrations/0008_one_installation_a_device.sql', import.meta.url),
  'utf8',
)

it('keeps the latest of several records of each device when an app is opened', async () => {
  for (const index of ['installation_id', 'installation_token'])
    await database.query(sql`DROP INDEX ${identifier(schema, index)}`)
  const records: [id: string, age: number, data: object][] = [
    ['a', 3, { installationId: 'phone' }],
    ['b', 2, { installationId: 'phone' }],
    ['c', 2, { installationId: 'tablet' }],
    ['d', 1, { deviceToken: 'token' }],
    ['e', 2, { deviceToken: 'token' }],
    ['f', 1, { deviceToken: '', installationId: '' }],
    ['g', 2, { deviceToken: '', installationId: '', level: 1 }],
  ]
  for (const [id, age, data] of records) {
    await database.query(sql`
      INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
      VALUES (${id}, now(), now() - ${`${age} hours`}::interval, ${JSON.stringify(data)}::jsonb)`)
  }
  await database.transaction(async (transaction) => {
    await transaction.query(sql`SET LOCAL search_path = ${identifier(schema)}, homeport, public`)
    await transaction.query(raw(migration))
  })
  await new ClassRegistry(database, schema).open()
  const left = await database.query(sql`SELECT id, data FROM ${installationTable(push)} ORDER BY id`)
  expect(left.map((row) => [row.id, JSON.parse(String(row.data))])).toEqual([
    ['b', { installationId: 'phone' }],
    ['c', { installationId: 'tablet' }],
    ['d', { deviceToken: 'token' }],
    ['f', {}],
    ['g', { level: 1 }],
  ])
  const indexes = await database.query(sql`
    SELECT indexname FROM pg_indexes
    WHERE schemaname = ${schema} AND indexname IN ('installation_id', 'installation_token')`)
  expect(indexes).toHaveLength(2)
})
