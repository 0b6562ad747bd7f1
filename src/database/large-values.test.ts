import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { appPrincipal } from '../scheduling/principal.ts'
import { TextInPieces } from '../values/text-in-pieces.ts'
import { raw, sql } from './sql.ts'
import { Statement } from './statement.ts'

const database = await scratchDatabase()
await database.query(
  sql`CREATE TABLE large (id integer PRIMARY KEY, text text, data jsonb, tags text[], flag boolean, filler text)`,
)

/** 3 MB of characters of one to four bytes, which fall on piece boundaries at varying offsets. */
const LONG = 'aé€😀"\\\n'.repeat(300_000)
const APP = appPrincipal('a')

const insert = (id: number, text: string | null) => sql`
  INSERT INTO large VALUES (
    ${id}, ${text}, ${JSON.stringify({ text })}::jsonb, ${['a "b"', null, '\\']}::text[], ${true}, ${null})`

it('stores and returns large values like any others', async () => {
  await database.query(insert(1, LONG))
  const [row] = await database.query(sql`
    SELECT id, text, data->>'text' AS inner_text, tags, flag, filler FROM large WHERE text = ${LONG}`)
  expect(row!.text === LONG && row!.inner_text === LONG).toBe(true)
  expect(row).toMatchObject({ id: 1, tags: ['a "b"', null, '\\'], flag: true, filler: null })
})

it('stores a text in pieces as one text, whatever the lengths of the pieces', async () => {
  const pieces = ['', 'short', LONG, '', '😀'.repeat(40_000), 'x']
  const [row] = await database.query(sql`
    SELECT ${new TextInPieces(pieces)}::text = ${pieces.join('')}::text AS same, ${new TextInPieces([])}::text AS none`)
  expect(row).toEqual({ same: true, none: '' })
})

it('keeps the values of statements on many connections apart, also when they are repeated', async () => {
  const text = new Statement('SELECT length($1::text) AS length, $2::text AS name')
  const request = async (n: number) => {
    const [row] = await database.execute(text, ['x'.repeat(300_000 + n), `name ${n}`])
    return [row!.length, row!.name]
  }
  const all = Array.from({ length: 40 }, (_, n) => n)
  expect(await Promise.all(all.map(request))).toEqual(all.map((n) => [300_000 + n, `name ${n}`]))
})

it('reports why a statement was refused, and leaves the connection usable', async () => {
  await database.query(insert(2, 'short'))
  await expect(database.query(insert(2, LONG))).rejects.toMatchObject({ code: '23505' })
  await expect(database.query(sql`SELECT nothing(${LONG}::text)`)).rejects.toMatchObject({ code: '42883' })
  await expect(database.query(sql`SELECT ${LONG}::integer`)).rejects.toMatchObject({ code: '22P02' })
  await database.transaction(async (transaction) => {
    await transaction.query(raw('SAVEPOINT before'))
    await expect(transaction.query(insert(2, LONG))).rejects.toMatchObject({ code: '23505' })
    await transaction.query(raw('ROLLBACK TO SAVEPOINT before'))
    await transaction.query(insert(3, LONG))
  }, APP)
  const [row] = await database.query(sql`SELECT sum(length(text))::integer AS length FROM large WHERE id > 1`)
  expect(row!.length).toBe(LONG.length - 300_000 + 'short'.length)
})

it('fails the statement when its connection is lost while a large value is sent', async () => {
  const lost = database.transaction(async (transaction) => {
    const [own] = await transaction.query(sql`SELECT pg_backend_pid() AS pid`)
    await Promise.all([
      transaction.query(sql`SELECT length(${LONG}::text)`),
      database.query(sql`SELECT pg_terminate_backend(${own!.pid as number})`),
    ])
    // The statement may have completed before: then the next one fails.
    await transaction.query(raw('SELECT 1'))
  }, APP)
  await expect(lost).rejects.toThrow()
  const [row] = await database.query(sql`SELECT length(${LONG}::text) AS length`)
  expect(row!.length).toBe(LONG.length - 300_000)
})

it('lets other work run while a large value is sent', async () => {
  let iterations = 0
  const count = () => {
    iterations++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await database.query(sql`SELECT length(${'x'.repeat(10 * 1024 * 1024)}::text)`)
  clearImmediate(next)
  expect(iterations).toBeGreaterThan(160)
})
