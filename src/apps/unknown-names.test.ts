import { expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { ClassRegistry } from '../objects/classes/classes.ts'
import { Apps, schemaOf } from './apps.ts'

const database = await scratchDatabase()
const apps = new Apps(database)

/** How many statements it takes to look for 200 names at once of which there is none. */
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

it('apps that do not exist are looked for together', async () => {
  expect(await statementsFor((name) => apps.find(name))).toBeLessThanOrEqual(2)
})

it('classes that do not exist are looked for together, and one that another node makes is found', async () => {
  const schema = schemaOf((await apps.create('unknown', null)).id)
  const here = new ClassRegistry(database, schema)
  const elsewhere = new ClassRegistry(database, schema)
  await here.open()
  await elsewhere.open()
  expect(await statementsFor((name) => here.lookUp(name))).toBeLessThanOrEqual(2)
  await elsewhere.ensureClass('Made')
  expect(await here.lookUp('Made')).toBeDefined()
})
