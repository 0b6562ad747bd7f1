import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { matches, type StoredObject } from '../objects/where/matches.ts'
import type { JsonObject } from '../values/json.ts'
import { canonicalCondition, parseCondition } from './condition.ts'
import { ConditionIndex } from './condition-index.ts'
import { type LiveQuery, liveQuery } from './live-query.ts'

const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Post', objectId })
const scalar = fc.constantFrom<JsonObject[string]>(
  ...['a', 'b', '1', '', 'true', 'null'],
  ...[0, 1, -1, 1.5, true, false, null],
  ...[pointer('p'), pointer('q'), { x: 1 }, { y: 2, x: 1 }, { x: 1, y: 2 }],
)
const value = fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) })
const field = fc.constantFrom('f', 'g', 'h', '__proto__', 'constructor')

const object: fc.Arbitrary<StoredObject> = fc.record({
  id: fc.constantFrom('i', 'j'),
  createdAt: fc.constant('2026-01-01T00:00:00.000Z'),
  updatedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
  // Parsed like data from the database: `__proto__` is an ordinary member.
  data: fc
    .array(fc.tuple(field, value), { maxLength: 4 })
    .map((members) => JSON.parse(`{${members.map(([name, of]) => `${JSON.stringify(name)}:${JSON.stringify(of)}`)}}`)),
})

const leaf = fc.oneof(
  fc.tuple(field, value).map(([name, of]) => `{${JSON.stringify(name)}:{"$eq":${JSON.stringify(of)}}}`),
  fc.tuple(field, fc.array(scalar, { maxLength: 3 })).map(([name, of]) => `{"${name}":{"$in":${JSON.stringify(of)}}}`),
  fc.tuple(field, fc.array(scalar, { maxLength: 2 })).map(([name, of]) => `{"${name}":{"$all":${JSON.stringify(of)}}}`),
  fc.tuple(field, scalar).map(([name, of]) => `{"${name}":{"$ne":${JSON.stringify(of)}}}`),
  fc.tuple(field, fc.boolean()).map(([name, of]) => `{"${name}":{"$exists":${of}}}`),
  fc.constantFrom('{"objectId":"i"}', '{"f.x":1}', '{"f":{"$gt":0}}', '{"updatedAt":"2026-01-02T00:00:00.000Z"}', '{}'),
)
const condition = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 2, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 3 }).map((of) => `{"$and":[${of}]}`) },
  { weight: 1, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 2 }).map((of) => `{"$or":[${of}]}`) },
)

function queryOf(text: string, n: number): LiveQuery {
  const identity = {
    subscriberId: `s${n}`,
    className: 'C',
    condition: canonicalCondition(text),
    userId: null,
    withAcl: false,
  }
  return liveQuery(identity, parseCondition(identity.condition))
}

it('finds every query whose condition an object meets before or after, each once', () => {
  const check = (texts: string[], removed: boolean[], before: StoredObject | null, after: StoredObject | null) => {
    const index = new ConditionIndex()
    const queries = texts.map(queryOf)
    for (const query of queries) index.add(query)
    const kept = queries.filter((_, n) => !removed[n])
    for (const query of queries) if (!kept.includes(query)) index.remove(query)
    expect(index.size).toBe(kept.length)
    const found = [...index.candidates(before, after)]
    expect(new Set(found).size).toBe(found.length)
    const isMatched = ({ where }: LiveQuery) => [before, after].some((one) => one !== null && matches(where, one))
    const ids = (those: readonly LiveQuery[]) =>
      those
        .filter(isMatched)
        .map(({ id }) => id)
        .sort()
    expect(ids(found)).toEqual(ids(kept))
    expect(found.every((query) => kept.includes(query))).toBe(true)
  }
  fc.assert(
    fc.property(
      fc.array(condition, { maxLength: 12 }),
      fc.array(fc.boolean(), { maxLength: 12 }),
      fc.option(object),
      fc.option(object),
      check,
    ),
    runs(1000),
  )
}, 60_000)
