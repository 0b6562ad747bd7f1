import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { sql } from '../database/sql.ts'
import { Apps, schemaOf } from './apps.ts'

const database = await scratchDatabase()

it('creates one app when several nodes start together on an empty database without a configured app', async () => {
  const empty = await scratchDatabase()
  const nodes = Array.from({ length: 4 }, () => new Apps(empty))
  await Promise.all(nodes.map((apps) => apps.reload()))
  const made = (await Promise.all(nodes.map((apps) => apps.createFirst('first')))).filter((app) => app !== null)
  expect(made).toHaveLength(1)
  for (const apps of nodes) expect(apps.all()).toEqual(made)
  expect(await nodes[0]!.createFirst('second')).toBeNull()
})

it('lets all nodes that start together on an empty database find the configured app', async () => {
  const nodes = Array.from({ length: 4 }, () => new Apps(database))
  await Promise.all(nodes.map((apps) => apps.reload()))
  const given = { appKey: 'the-key-of-the-app', masterKey: 'the-master-key-of-the-app' }
  const ensured = await Promise.all(nodes.map((apps) => apps.ensure('together', given)))
  for (const [index, app] of ensured.entries()) {
    expect(app).toMatchObject({ id: 'together', ...given, hookKey: ensured[0]!.hookKey })
    expect(nodes[index]!.known('together')).toMatchObject(given)
  }
  const rows = await database.query(
    sql`SELECT FROM information_schema.tables WHERE table_schema = ${schemaOf('together')} AND table_name = '$registry'`,
  )
  expect(rows).toHaveLength(1)
})

it('still rejects an app that cannot be created', async () => {
  const apps = new Apps(database)
  await apps.reload()
  const same = 'one-key-for-everything'
  await expect(apps.ensure('refused', { appKey: same, masterKey: same })).rejects.toMatchObject({ code: 1 })
})
