import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { appPrincipal } from '../scheduling/principal.ts'
import { raw, sql } from './sql.ts'

const database = await scratchDatabase()
await database.query(sql`CREATE TABLE copied (id integer PRIMARY KEY, filler text)`)

const COPY = sql`COPY copied (id, filler) FROM STDIN`
/** Rows of one kilobyte: 64 of them make a piece. */
const rows = (ids: readonly (number | string)[]) =>
  Buffer.from(ids.map((id) => `${id}\t${'x'.repeat(1000)}\n`).join(''))
const numbers = (from: number, amount: number) => Array.from({ length: amount }, (_, index) => from + index)

async function stored(): Promise<number[]> {
  const found = await database.query(sql`SELECT count(*)::integer AS amount, min(id) AS first FROM copied`)
  return [Number(found[0]!.amount), Number(found[0]!.first)]
}

it.each([false, true])('stores all rows, also in pieces with pauses in between: %s', async (inPieces) => {
  await database.query(sql`DELETE FROM copied`)
  const copy = () =>
    database.backgroundTransaction(
      (transaction) => transaction.copy(COPY, rows(numbers(1, 500))),
      appPrincipal('a'),
      inPieces,
    )
  await copy()
  expect(await stored()).toEqual([500, 1])
  await expect(copy()).rejects.toMatchObject({ code: '23505' })
})

it('does not send the remaining pieces of a refused COPY to a later one', async () => {
  await database.query(sql`DELETE FROM copied`)
  await database.backgroundTransaction(
    async (transaction) => {
      await transaction.query(raw('SAVEPOINT pieces'))
      const refused = transaction.copy(COPY, rows(['no number', ...numbers(1, 2000)]))
      await expect(refused).rejects.toMatchObject({ code: '22P02' })
      await transaction.query(raw('ROLLBACK TO SAVEPOINT pieces'))
      await transaction.copy(COPY, rows(numbers(5000, 500)))
    },
    appPrincipal('a'),
    true,
  )
  expect(await stored()).toEqual([500, 5000])
})
