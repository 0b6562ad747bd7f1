import { expect, inject, it, onTestFinished } from 'vitest'
import { Database } from './pool.ts'
import { ConnectionStatements, PreparedStatements } from './prepared-statements.ts'
import { raw, sql } from './sql.ts'

const BUDGET = 128 * 1024

/** A statement of about a thousand characters, different from all others of its app. */
const statement = (app: string, n: number) => `SELECT ${n} FROM "app_${app}"."Post" -- ${'x'.repeat(960)}`

/** Runs a text often enough to have it prepared. */
function prepare(prepared: PreparedStatements, text: string, app = 'one'): string | undefined {
  prepared.nameOf(text, app)
  return prepared.nameOf(text, app)
}

it('prepares a statement when it is seen again, under one name', () => {
  const prepared = new PreparedStatements()
  expect(prepared.nameOf('SELECT 1', 'one')).toBeUndefined()
  const name = prepared.nameOf('SELECT 1', 'one')
  expect(name).toBeDefined()
  expect(prepared.nameOf('SELECT 1', 'one')).toBe(name)
  expect(prepare(prepared, 'SELECT 2')).not.toBe(name)
})

it('never prepares a statement that is too long', () => {
  const prepared = new PreparedStatements()
  for (let time = 0; time < 5; time++) expect(prepared.nameOf(`SELECT '${'x'.repeat(4096)}'`, 'one')).toBeUndefined()
})

it('bounds the total length of prepared statements, however many there are', () => {
  const prepared = new PreparedStatements()
  for (let n = 0; n < 3000; n++) {
    expect(prepare(prepared, statement(`a${n % 7}`, n), `a${n % 7}`)).toBeDefined()
    expect(prepared.size).toBeLessThanOrEqual(BUDGET)
  }
  expect(prepared.size).toBeGreaterThan(BUDGET - 4096)
})

it('does not evict the statements of one app for those of another', () => {
  const prepared = new PreparedStatements()
  const honest = Array.from({ length: 50 }, (_, n) => statement('honest', n))
  const names = honest.map((text) => prepare(prepared, text, 'honest'))
  for (let n = 0; n < 5000; n++) prepare(prepared, statement('greedy', n), 'greedy')
  expect(honest.map((text) => prepared.nameOf(text, 'honest'))).toEqual(names)
})

it('keeps a used statement when others are evicted', () => {
  const prepared = new PreparedStatements()
  const name = prepare(prepared, statement('one', -1))
  for (let n = 0; n < 1000; n++) {
    prepare(prepared, statement('one', n))
    expect(prepared.nameOf(statement('one', -1), 'one')).toBe(name)
  }
})

it('considers a connection full after it has prepared twice the budget', () => {
  const statements = new ConnectionStatements()
  const [connection, other] = [{}, {}]
  let count = 0
  for (let isFull = false; !isFull; count++) {
    statements.note(connection, `h${count}`, statement('one', count))
    isFull = statements.note(connection, `h${count}`, statement('one', count))
  }
  expect(count * 1000).toBeGreaterThan(2 * BUDGET - 4096)
  expect(count * 1000).toBeLessThan(2 * BUDGET + 4096)
  expect(statements.note(other, 'h0', statement('one', 0))).toBe(false)
})

it('closes such a connection and continues with another', async () => {
  const database = new Database({
    connection: { connectionString: inject('databaseUrl') },
    maxConnections: 1,
    maxQueryConnections: 1,
    statementTimeout: 10_000,
  })
  onTestFinished(() => database.close())
  const state = async () => {
    const text = 'SELECT pg_backend_pid() AS pid, (SELECT count(*) FROM pg_prepared_statements) AS prepared'
    const [row] = await database.query(raw(text))
    return { pid: row!.pid as number, prepared: Number(row!.prepared) }
  }
  const pids = new Set<number>()
  let max = 0
  for (let n = 0; n < 600; n++) {
    const text = `SELECT ${n} AS n -- ${'x'.repeat(1000)}`
    for (let time = 0; time < 2; time++) expect(await database.query(raw(text))).toEqual([{ n }])
    const { pid, prepared } = await state()
    pids.add(pid)
    max = Math.max(max, prepared)
  }
  expect(pids.size).toBeGreaterThan(1)
  expect(max).toBeGreaterThan(100)
  expect(max).toBeLessThan(300)
})

it('plans a query for its values each time, and a planned one once', async () => {
  const database = new Database({
    connection: { connectionString: inject('databaseUrl') },
    maxConnections: 1,
    maxQueryConnections: 1,
    statementTimeout: 10_000,
  })
  onTestFinished(() => database.close())
  const ahead = (n: number) => sql`SELECT ${n}::integer AS ahead`
  const each = (n: number) => sql`SELECT ${n}::integer AS each`
  for (let n = 1; n <= 9; n++) {
    expect(await database.searchPlanned(ahead(n))).toEqual([{ ahead: n }])
    expect((await database.search(each(n))).rows).toEqual([{ each: n }])
  }
  // The first run of each is not prepared.
  const { rows } = await database.search(
    raw('SELECT generic_plans, custom_plans FROM pg_prepared_statements ORDER BY custom_plans'),
  )
  expect(rows).toEqual([
    { generic_plans: 8, custom_plans: 0 },
    { generic_plans: 0, custom_plans: 8 },
  ])
})
