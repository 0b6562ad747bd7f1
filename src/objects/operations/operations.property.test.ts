import fc from 'fast-check'
import pg from 'pg'
import { afterAll, expect, inject, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { toQuery } from '../../database/sql.ts'
import { ApiError } from '../../errors.ts'
import { equalJson, type Json, type JsonObject } from '../../values/json.ts'
import { applyChanges } from './apply.ts'
import type { FieldChange, Operation } from './operation.ts'
import { effective } from './parse.ts'
import { changedData } from './to-sql.ts'

const pool = new pg.Pool({
  connectionString: process.env.HOMEPORT_TEST_DATABASE_URL ?? inject('databaseUrl'),
  options: '-c search_path=homeport,public',
  max: 4,
})
afterAll(() => pool.end())

const names = ['a', 'b', 'c', 'deep']
const element: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('x', 'y', 'Straße', '', null, true),
  fc.constantFrom<Json>({ k: 1 }, { __type: 'Pointer', className: 'Post', objectId: 'abc' }, [1], []),
)
const value: fc.Arbitrary<Json> = fc.oneof(
  element,
  fc.array(element, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('k', 'l'), element),
)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  value.map((set): Operation => ({ kind: 'Set', value: set })),
  fc.constant<Operation>({ kind: 'Delete' }),
  fc.integer({ min: -1000, max: 1000 }).map((amount): Operation => ({ kind: 'Increment', amount })),
  fc
    .tuple(
      fc.constantFrom('Add' as const, 'AddUnique' as const, 'Remove' as const),
      fc.array(element, { maxLength: 4 }),
    )
    .map(([kind, objects]): Operation => ({ kind, objects })),
  fc
    .tuple(
      fc.constantFrom('BitAnd' as const, 'BitOr' as const, 'BitXor' as const),
      fc.integer({ min: -100, max: 2 ** 40 }),
    )
    .map(([kind, operand]): Operation => ({ kind, operand })),
)
const change: fc.Arbitrary<FieldChange> = fc.record({
  path: fc.oneof(
    fc.constantFrom(...names).map((name) => [name]),
    fc.constantFrom('k', 'l').map((name) => ['deep', name]),
    fc.constantFrom('k', 'l').map((name) => ['deep', 'k', name]),
  ),
  operations: fc.array(operation, { minLength: 1, maxLength: 3 }).map(effective),
})

/** No two changes of one request overlap (`parseChanges` rejects them). */
const changes = fc
  .array(change, { minLength: 1, maxLength: 4 })
  .map((list) => list.filter((one, index) => !list.slice(0, index).some((other) => overlaps(one.path, other.path))))

function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).join('.') === b.slice(0, a.length).join('.')
}

async function inDatabase(data: JsonObject, list: readonly FieldChange[]): Promise<JsonObject | null> {
  const { text, values } = toQuery(changedData(list))
  try {
    const { rows } = await pool.query(
      `SELECT ${text} AS result FROM (SELECT $${values.length + 1}::jsonb AS data) AS row`,
      [...values, JSON.stringify(data)],
    )
    return rows[0].result
  } catch (error) {
    if (error instanceof pg.DatabaseError && ['HP111', '22023'].includes(error.code!)) return null
    throw error
  }
}

function inMemory(data: JsonObject, list: readonly FieldChange[]): JsonObject | null {
  try {
    return applyChanges(data, list)
  } catch (error) {
    if (error instanceof ApiError && error.code === 111) return null
    throw error
  }
}

it('applies operations equally in the database and in memory, including errors', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), changes, async (data, list) => {
      const expected = inMemory(data, list)
      const actual = await inDatabase(data, list)
      if (expected === null || actual === null) expect(actual).toBe(expected)
      else
        expect(equalJson(actual, expected), `${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`).toBe(true)
    }),
    runs(600),
  )
}, 60_000)

const LARGEST = Number.MAX_VALUE
it.each<[what: string, data: JsonObject, amounts: readonly number[], sum: number | null]>([
  ['past the largest number', { n: LARGEST }, [LARGEST], null],
  ['past the smallest number', { n: -LARGEST }, [-LARGEST], null],
  ['past the largest number in several steps', { n: 1e308 }, [5e307, 5e307], null],
  ['past the largest number and back', { n: LARGEST }, [LARGEST, -LARGEST], null],
  ['past the largest number from an undefined field', {}, [1e308, 1e308], null],
  ['near the largest number', { n: LARGEST }, [1e290], LARGEST],
  ['from the largest to the smallest number', { n: LARGEST }, [-LARGEST, -LARGEST], -LARGEST],
])('increments %s equally in the database and in memory', async (_what, data, amounts, sum) => {
  const operations = amounts.map((amount): Operation => ({ kind: 'Increment', amount }))
  for (const path of [['n'], ['o', 'n']]) {
    const nested = path.length > 1 ? { o: data } : data
    const expected = sum === null ? null : path.length > 1 ? { o: { n: sum } } : { n: sum }
    expect(inMemory(nested, [{ path, operations }])).toEqual(expected)
    expect(await inDatabase(nested, [{ path, operations }])).toEqual(expected)
  }
})
