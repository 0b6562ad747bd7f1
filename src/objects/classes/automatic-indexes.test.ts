import { expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { Apps, schemaOf } from '../../apps/apps.ts'
import { identifier, literal, sql } from '../../database/sql.ts'
import { createLog } from '../../log.ts'
import type { Where } from '../where/tree.ts'
import { AutomaticIndexes } from './automatic-indexes.ts'
import { BUILT_IN_INDEXES } from './built-in-indexes.ts'
import { ClassRegistry } from './classes.ts'
import { createStatement, type IndexDefinition, nameOf } from './index-definition.ts'
import { writeNote } from './index-note.ts'

const database = await scratchDatabase()
const schemaName = schemaOf((await new Apps(database).create('indexes', null)).id)
const classes = new ClassRegistry(database, schemaName)
await classes.open()

const member: Where = { kind: 'equal', path: ['m'], value: 'ann' }
const named: Where = { kind: 'equal', path: ['name'], value: 'tea' }

async function indexesOn(className: string): Promise<unknown[]> {
  const rows = await database.query(sql`
    SELECT indexname FROM pg_indexes WHERE schemaname = ${schemaName} AND tablename = ${className} ORDER BY indexname`)
  return rows.map(({ indexname }) => indexname)
}

it('builds indexes that slow queries lack, except those that the class has from the beginning', async () => {
  const schema = classes.get('_Conversation')!
  await database.query(sql`
    INSERT INTO ${schema.table} (id, created_at, updated_at, data)
    SELECT 'talk' || n, now(), now(), jsonb_build_object('m', jsonb_build_array('ann'), 'pad', repeat('x', 500))
    FROM generate_series(1, 2000) AS n`)
  const indexes = new AutomaticIndexes(database, schemaName, createLog('silent'))
  await indexes.open()
  const before = await indexesOn('_Conversation')
  indexes.observe(schema, member, [], 1000)
  indexes.observe(schema, named, [], 1000)
  await vi.waitFor(async () => expect(await indexes.list(schema)).toEqual(['name']), { timeout: 60_000 })
  expect((await indexesOn('_Conversation')).length).toBe(before.length + 1)
  const [slowest] = (await indexes.slowQueries(schema)).filter(({ indexes }) => indexes[0]?.keys === 'elements of m')
  expect(slowest?.indexes).toMatchObject([{ ready: true, progress: 1 }])
  await indexes.stop()
})

it('removes automatic indexes that repeat a built-in one on start, and keeps those of administrators', async () => {
  const build = async (className: string, definition: IndexDefinition, madeBy: 'homeport' | 'administrator') => {
    const schema = classes.get(className)!
    const name = nameOf(schema, definition)
    await database.query(createStatement(schema, definition))
    const note = writeNote(definition, madeBy, new Date())
    await database.query(sql`COMMENT ON INDEX ${identifier(schemaName, name)} IS ${literal(note)}`)
    return name
  }
  const own = Object.values(BUILT_IN_INDEXES).flatMap(({ className, serves }) =>
    serves ? [{ className, serves }] : [],
  )
  const [kept, ...repeated] = own
  const names = [await build(kept!.className, kept!.serves, 'administrator')]
  for (const { className, serves } of repeated) names.push(await build(className, serves, 'homeport'))
  expect(names.length).toBeGreaterThan(5)
  const indexes = new AutomaticIndexes(database, schemaName, createLog('silent'))
  await indexes.open()
  const left = (await Promise.all(own.map(({ className }) => indexesOn(className)))).flat()
  expect(names.filter((name) => left.includes(name))).toEqual(names.slice(0, 1))
  await indexes.stop()
})
