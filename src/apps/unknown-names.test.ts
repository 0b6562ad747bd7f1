import { expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { ClassRegistry } from '../objects/classes/classes.ts'
import { Apps, schemaOf } from './apps.ts'

const database = await scratchDatabase()
const apps = new Apps(database)

/** Counts the statements for 200 concurrent lookups of unknown names. */
async function statementsFor(lookUp: (name: string) => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(database, 'query')
  try {
    const found = await Promise.all(Array.from({ length: 200 }, (_, n) => lookUp(`Unknown${n}`)))
    expect(found.filter(Boolean)).toEqual([])
    return query.mock.calls.length
  } finally {
    query.mockRestore()
  }
}

it('looks up unknown apps together', async () => {
  expect(await statementsFor((name) => apps.find(name))).toBeLessThanOrEqual(2)
})

it('looks up unknown classes together, and finds a class that another node creates', async () => {
  const schema = schemaOf((await apps.create('unknown', null)).id)
  const here = new ClassRegistry(database, schema)
  const otherNode = new ClassRegistry(database, schema)
  await here.open()
  await otherNode.open()
  expect(await statementsFor((name) => here.lookUp(name))).toBeLessThanOrEqual(2)
  await otherNode.ensureClass('Made')
  expect(await here.lookUp('Made')).toBeDefined()
})
