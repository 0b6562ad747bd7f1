import { afterAll, expect, inject, it } from 'vitest'
import { appPrincipal, SERVER } from '../scheduling/principal.ts'
import { Database } from './pool.ts'
import { sql } from './sql.ts'
import { Statement } from './statement.ts'

const database = new Database({
  connection: { connectionString: inject('databaseUrl') },
  maxConnections: 1,
  maxQueryConnections: 1,
  statementTimeout: 30_000,
})
afterAll(() => database.close())

const ONE = new Statement('SELECT 1 AS one')

/** Checks out all connections for single statements and for background work. @returns a function that releases them */
async function holdAll(): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun: Promise<void>[] = []
  const held: Promise<void>[] = []
  const hold = (run: (work: () => Promise<void>) => Promise<void>) =>
    begun.push(
      new Promise((resolve) => {
        held.push(
          run(() => {
            resolve()
            return released
          }),
        )
      }),
    )
  hold((work) => database.transaction(work))
  for (let n = 0; n < 4; n++) hold((work) => database.backgroundTransaction(work, SERVER))
  await Promise.all(begun)
  return async () => {
    release()
    await Promise.all(held)
  }
}

it.each<[string, (handle: Database) => Promise<unknown>]>([
  ['query', (handle) => handle.query(sql`SELECT 1`)],
  ['execute', (handle) => handle.execute(ONE, [])],
  ['executeLarge', (handle) => handle.executeLarge(ONE, [])],
])('charges the app of the handle for `%s`: statements of two apps alternate', async (_name, run) => {
  const order: string[] = []
  const release = await holdAll()
  const note = (app: string) => run(database.forApp(app)).then(() => order.push(app))
  const all = Promise.all([...Array.from({ length: 12 }, () => 'one'), 'other'].map(note))
  await release()
  await all
  // Background work runs four at a time.
  expect(order.indexOf('other')).toBeLessThan(8)
})

it('charges a named caller instead of the app of the handle', async () => {
  const order: string[] = []
  const release = await holdAll()
  const note = (app: string) =>
    database
      .forApp('one')
      .query(sql`SELECT 1`, appPrincipal(app))
      .then(() => order.push(app))
  const all = Promise.all(['one', 'one', 'one', 'other'].map(note))
  await release()
  await all
  expect(order.slice(0, 2).toSorted()).toEqual(['one', 'other'])
})

it.each<[string, (handle: Database) => Promise<unknown>]>([
  ['search', (handle) => handle.search(sql`SELECT pg_sleep(0.01)::text`)],
  ['searchPlanned', (handle) => handle.searchPlanned(sql`SELECT pg_sleep(0.01)::text`)],
])('charges the app of the handle for `%s`', async (_name, run) => {
  const order: string[] = []
  const note = (app: string) => run(database.forApp(app)).then(() => order.push(app))
  await Promise.all(['one', 'one', 'one', 'one', 'other'].map(note))
  expect(order.at(-1)).toBe('one')
})
