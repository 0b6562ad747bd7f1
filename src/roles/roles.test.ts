import { expect, it } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { Apps, schemaOf } from '../apps/apps.ts'
import { localBus } from '../bus/local-bus.ts'
import { identifier, sql } from '../database/sql.ts'
import { createLog } from '../log.ts'
import { ClassRegistry } from '../objects/classes/classes.ts'
import { Roles } from './roles.ts'

const database = await scratchDatabase()
const { id } = await new Apps(database).create('roles', null)
const schema = schemaOf(id)
await new ClassRegistry(database, schema).open()
const roles = identifier(schema, '_Role')
const relations = identifier(schema, '$relations')
const log = createLog('silent')

/**
 * Creates roles one second apart in age, and adds a member to a relation of each.
 * @param since creation time of the first
 */
async function make(prefix: string, count: number, since: string, field: 'users' | 'roles', member: string) {
  await database.query(sql`
    WITH made AS (
      INSERT INTO ${roles} (id, created_at, updated_at, data)
      SELECT ${prefix} || n, ${since}::timestamptz + n * interval '1 second', now(),
        jsonb_build_object('name', ${prefix} || n)
      FROM generate_series(1, ${count}::integer) AS n
      RETURNING id
    )
    INSERT INTO ${relations} (owner_class, field, owner_id, related_id)
    SELECT '_Role', ${field}, id, ${member} FROM made`)
}

it('counts the oldest roles of a user with more than the maximum, however many other users add', async () => {
  await make('own', 3, '2020-01-01', 'users', 'tom')
  await make('parent', 2, '2020-02-01', 'roles', 'own1')
  await make('forged', 2500, '2024-01-01', 'users', 'tom')
  await make('above', 300, '2024-06-01', 'roles', 'own1')
  const held = await new Roles(database, schema, localBus(), log).of('tom')
  expect(held).toHaveLength(1000)
  expect(held.slice(0, 6)).toEqual(['own1', 'own2', 'own3', 'parent1', 'parent2', 'forged1'])
})

it.each([98, 99, 100, 101])('returns all of %i roles of a user, and the roles that contain them', async (count) => {
  const user = `user ${count}`
  await make(`with${count}own`, count, '2020-01-01', 'users', user)
  await make(`with${count}above`, 3, '2021-01-01', 'roles', `with${count}own${count}`)
  await make(`with${count}top`, 1, '2022-01-01', 'roles', `with${count}above3`)
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}${n + 1}`)
  expect(await new Roles(database, schema, localBus(), log).of(user)).toEqual([
    ...names(`with${count}own`, count),
    ...names(`with${count}above`, 3),
    ...names(`with${count}top`, 1),
  ])
})

it('caches no roles on a node that is disconnected from the others', async () => {
  const { bus, breakOff, restore: mend } = breakableBus()
  const held = new Roles(database, schema, bus, log)
  await make('before', 1, '2020-01-01', 'users', 'ann')
  expect(await held.of('ann')).toEqual(['before1'])
  // As created by another node whose change is not published here.
  await make('unheard', 1, '2020-02-01', 'users', 'ann')
  expect(await held.of('ann')).toEqual(['before1'])
  breakOff()
  expect(await held.of('ann')).toEqual(['before1', 'unheard1'])
  await make('away', 1, '2020-03-01', 'users', 'ann')
  expect(await held.of('ann')).toEqual(['before1', 'unheard1', 'away1'])
  mend()
  expect(await held.of('ann')).toEqual(['before1', 'unheard1', 'away1'])
})
