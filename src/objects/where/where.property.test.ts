import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { contextOf, openScratchSchema, type ScratchSchema } from '../../../test/support/scratch-schema.ts'
import { sql } from '../../database/sql.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'
import { matches, type StoredObject } from './matches.ts'
import { parseWhere } from './parse.ts'
import { whereToSql } from './to-sql.ts'

/** Fields of every type; `other` has an unknown type. */
const TYPES: Readonly<Record<string, FieldType>> = {
  text: { type: 'String' },
  number: { type: 'Number' },
  flag: { type: 'Boolean' },
  date: { type: 'Date' },
  bytes: { type: 'Bytes' },
  object: { type: 'Object' },
  array: { type: 'Array' },
  pointer: { type: 'Pointer', className: 'Post' },
  file: { type: 'File' },
  place: { type: 'GeoPoint' },
  any: { type: 'Any' },
}

let schema: ScratchSchema

beforeAll(async () => {
  schema = await openScratchSchema()
  await schema.createClass('Item')
})
afterAll(() => schema?.close())

const LONG = 'é'.repeat(198)

// Small pools, so that operands often equal values.
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'b',
    'ab',
    'abc',
    'a\nb',
    'ab\n',
    'a b',
    'é',
    'É',
    'ß',
    '9',
    '😀',
    '\u{1D4B3}',
    '\uFFFD',
    '\uE000',
  ),
  fc.constantFrom(
    '\uD7FF',
    '\uD7FF\uD7FFz',
    '\u{10FFFF}',
    'a\u{10FFFF}b',
    "'",
    '"',
    '\\',
    '*',
    '%',
    '[x]',
    '中文',
    'K',
    '\u212A',
    'ı',
  ),
  fc.constantFrom(LONG, `${LONG}a`, `${LONG}ab`, `${LONG}abc`, `${LONG}b`, `${LONG}😀`, `${LONG}😀😀😀`, `${LONG}bc😀`),
)
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 1.5, 0.1, 1e21, 1e-9, -1e300, 9007199254740991),
  fc.integer({ min: -3, max: 3 }),
)
const flag = fc.boolean()
const date = fc
  .constantFrom(
    '1969-12-31T23:59:59.999Z',
    '2020-01-01T00:00:00.000Z',
    '2020-01-01T00:00:00.001Z',
    '0000-01-01T00:00:00.000Z',
    '9999-12-31T00:00:00.000Z',
  )
  .map((iso): JsonObject => ({ __type: 'Date', iso }))
const bytes = fc.constantFrom('', 'AAAA', 'AQ==').map((base64): JsonObject => ({ __type: 'Bytes', base64 }))
const pointer = fc
  .tuple(fc.constantFrom('Post', 'Post', 'Other'), fc.constantFrom('p1', 'p2'))
  .map(([className, objectId]): JsonObject => ({ __type: 'Pointer', className, objectId }))
const file = fc.constantFrom('f1', 'f2').map((id): JsonObject => ({ __type: 'File', id }))
const place = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(-90, 90, 0, 10.5),
      fc.integer({ min: -900, max: 900 }).map((tenths) => tenths / 10),
    ),
    fc.oneof(
      fc.constantFrom(-180, 180, 0, 179.5, -179.5),
      fc.integer({ min: -1800, max: 1800 }).map((tenths) => tenths / 10),
    ),
  )
  .map(([latitude, longitude]): JsonObject => ({ __type: 'GeoPoint', latitude, longitude }))
const key = fc.constantFrom('a', 'b', 'c"d', 'e\\f', "g'h")
const scalar: fc.Arbitrary<Json> = fc.oneof(text, number, flag, fc.constant(null), date, bytes, pointer, file, place)
const { value } = fc.letrec<{ value: Json; object: Json; array: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, tie('object'), tie('array')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 2, noNullPrototype: true }) as fc.Arbitrary<Json>,
  array: fc.array(tie('value'), { maxLength: 3 }),
}))
const object = fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true })
const array = fc.array(fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 2, arbitrary: value }), { maxLength: 4 })

const ofType: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  text,
  number,
  flag,
  date,
  bytes,
  object,
  array,
  pointer: pointer.filter((target) => target.className === 'Post'),
  file,
  place,
  any: value,
  other: value,
}
const nullable = Object.fromEntries(
  Object.entries(ofType).map(([field, values]) => [
    field,
    fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) }),
  ]),
)
const data = fc.record(nullable, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>
const time = fc.constantFrom('2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.001Z', '2021-06-01T12:30:15.250Z')
const stored: fc.Arbitrary<Omit<StoredObject, 'id'>> = fc.record({ createdAt: time, updatedAt: time, data })

const source = fc.oneof(
  fc.constantFrom(
    '^a',
    '^ab',
    'b$',
    '^\\Qa\\E',
    '^\\Q[x]\\E$',
    '\\bb',
    'a.b',
    '[^a]',
    '^$',
    '',
    '\\d',
    '\\W\\S',
    '^\uD7FF',
    '^\u{10FFFF}',
  ),
  fc.constantFrom(
    'a|b',
    '(a|b)+c?',
    '^(?i)AB',
    'a #x\n b',
    '[[:upper:]]',
    '\\x{1F600}',
    '[\\u4e00-\\u9fa5]',
    'ß|k',
    '^a.*',
    'a\\Z',
    '\\Ba',
    '.{2,}',
    '^.$',
    '(?:a|)$|^x',
    '[\\D\\s]',
  ),
  fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'A',
        '.',
        '^',
        '$',
        '|',
        '[ab]',
        '[^b]',
        '\\w',
        '\\b',
        '\\B',
        '\\s',
        'é',
        '😀',
        ' ',
        '\\n',
        'a*',
        'b?',
        '.+',
        '(?:a|b)',
        '(b)',
        '\\.',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc.constant(`^\\Q${LONG}ab\\E`),
  fc.constant(`^\\Q${LONG}abc\\E`),
)
const options = fc.constantFrom('', '', 'i', 'm', 's', 'x', 'im', 'sixm')

const operand = (field: string): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 3, arbitrary: nullable[field] ?? value },
    { weight: 2, arbitrary: scalar },
    { weight: 1, arbitrary: value },
  )
const orderedOperand = (field: string): fc.Arbitrary<Json> =>
  fc.oneof(['text', 'number', 'flag', 'date'].includes(field) ? ofType[field]! : number, text, number, flag, date)
const distance = fc.integer({ min: 0, max: 40_000 }).map((steps) => steps / 10_000)

function operators(field: string): fc.Arbitrary<JsonObject> {
  const list = fc.oneof(
    fc.array(operand(field), { maxLength: 4 }),
    fc.array(operand(field), { minLength: 33, maxLength: 40 }),
  )
  return fc.oneof(
    fc.constantFrom('$eq', '$ne').chain((name) => operand(field).map((given) => ({ [name]: given }))),
    fc.constantFrom('$in', '$nin').chain((name) => list.map((given) => ({ [name]: given }))),
    fc.array(operand(field), { maxLength: 3 }).map((given) => ({ $all: given })),
    fc
      .constantFrom('$lt', '$lte', '$gt', '$gte')
      .chain((name) => orderedOperand(field).map((given) => ({ [name]: given }))),
    flag.map((given) => ({ $exists: given })),
    fc.nat({ max: 4 }).map((given) => ({ $size: given })),
    fc.record({ $regex: source, $options: options }),
    fc.tuple(place, place).map(([one, two]) => {
      const [south, north] = Number(one.latitude) <= Number(two.latitude) ? [one, two] : [two, one]
      return { $within: { $box: [south, north] } }
    }),
  )
}

function fieldCondition(path: string): fc.Arbitrary<JsonObject> {
  const field = path.split('.')[0]!
  const plain = operand(field).map((given): JsonObject => ({ [path]: given }))
  return fc.oneof(
    plain,
    operators(field).map((given) => ({ [path]: given })),
    operators(field).map((given) => ({ [path]: { $not: given } })),
  )
}

const paths = [
  ...Object.keys(ofType),
  'array',
  'any',
  'object.a',
  'array.a',
  'any.a',
  'any.b.a',
  'object.c"d',
  'array.e\\f',
  "any.g'h",
  'pointer.objectId',
  'missing',
  'text.a',
]
const systemCondition: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom('i0', 'i1', 'i3').map((objectId) => ({ objectId })),
  fc.constantFrom(
    { objectId: { $gt: 'i1' } },
    { objectId: { $nin: ['i1', null] } },
    { objectId: { $regex: '^i[12]' } },
    { objectId: null },
  ),
  // Values that a system field never has.
  fc
    .tuple(
      fc.constantFrom('$in', '$nin', '$all'),
      fc.array(fc.oneof(scalar, array, fc.constantFrom('i0', 'i1', 'i3')), { maxLength: 4 }),
    )
    .map(([name, list]) => ({ objectId: { [name]: list } })),
  fc
    .tuple(
      fc.constantFrom('createdAt', 'updatedAt'),
      fc.constantFrom('$in', '$nin', '$all'),
      fc.array(fc.oneof(number, flag, fc.constant(null), date, bytes, pointer, array), { maxLength: 4 }),
    )
    .map(([field, name, list]) => ({ [field]: { [name]: list } })),
  fc
    .tuple(fc.constantFrom('createdAt', 'updatedAt'), fc.constantFrom('$lt', '$lte', '$gt', '$gte', '$ne', '$eq'), time)
    .map(([field, name, iso]) => ({ [field]: { [name]: iso } })),
  time.map((iso) => ({
    createdAt: { $in: [iso, { __type: 'Date', iso: '0000-01-01T00:00:00.000Z' }] },
    updatedAt: { $exists: true },
  })),
)
const near = fc
  .record(
    { $nearSphere: place, $maxDistance: distance, $minDistanceInRadians: distance },
    { requiredKeys: ['$nearSphere'] },
  )
  .chain((given) =>
    fc.constantFrom('place', 'any', 'array', 'array.a').map((field) => ({ [field]: given }) as JsonObject),
  )
const { condition } = fc.letrec<{ condition: JsonObject; group: JsonObject }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    { weight: 6, arbitrary: fc.constantFrom(...paths).chain(fieldCondition) },
    { weight: 1, arbitrary: systemCondition },
    { weight: 2, arbitrary: tie('group') },
  ),
  group: fc
    .constantFrom('$or', '$and')
    .chain((name) => fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((of) => ({ [name]: of }))),
}))
const where = fc.oneof(
  { weight: 12, arbitrary: condition },
  { weight: 1, arbitrary: near },
  { weight: 1, arbitrary: fc.array(condition, { maxLength: 2 }) },
)

it('matches the same objects in the database and in memory, with known and unknown types', async () => {
  const known = contextOf(schema, { Item: TYPES })
  const unknown = contextOf(schema, { Item: {} })
  const run = async (found: readonly Omit<StoredObject, 'id'>[], wires: readonly unknown[]) => {
    const objects = found.map((one, index) => ({ id: `i${index}`, ...one }))
    await schema.run(sql`TRUNCATE ${schema.table('Item')}`)
    await schema.insert('Item', objects)
    for (const wire of wires) {
      const tree = parseWhere(wire)
      const expected = expectedIds(tree, objects)
      if (expected === null) continue
      expect(await schema.ids('Item', whereToSql(tree, 'Item', known)), `known types, ${JSON.stringify(wire)}`).toEqual(
        expected,
      )
      expect(
        await schema.ids('Item', whereToSql(tree, 'Item', unknown)),
        `unknown types, ${JSON.stringify(wire)}`,
      ).toEqual(expected)
    }
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { minLength: 4, maxLength: 10 }),
      fc.array(where, { minLength: 5, maxLength: 8 }),
      run,
    ),
    runs(500),
  )
}, 120_000)

/** Returns null for a pattern that only the database can run. */
function expectedIds(tree: ReturnType<typeof parseWhere>, objects: readonly StoredObject[]): string[] | null {
  try {
    return objects.filter((one) => matches(tree, one)).map((one) => one.id)
  } catch {
    return null
  }
}
