import { describe, expect, test } from 'vitest'
import { inEnglish } from '../../../notices/in-english.ts'
import { objectParser, type ReadingOptions } from './parse-object.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const HALF = '\ud83c'

function parse(line: object | string, options: Partial<ReadingOptions> = {}) {
  const text = typeof line === 'string' ? line : JSON.stringify(line)
  const { notes, ...parsed } = objectParser({ className: 'Post', now: NOW, ...options })(text)
  return { ...parsed, notes: notes.map(inEnglish) }
}

function point(latitude: unknown, longitude: unknown) {
  return { __type: 'GeoPoint', latitude, longitude }
}

/** Values of each type that the hosted service may store but this server cannot, and the reported note. */
const ODD: readonly (readonly [what: string, value: unknown, stored: unknown, reported: string])[] = [
  ['GeoPoint with null coordinates', point(null, null), null, 'invalid GeoPoint, stored as null'],
  ['GeoPoint with one coordinate', { __type: 'GeoPoint', latitude: 1 }, null, 'invalid GeoPoint, stored as null'],
  ['GeoPoint without coordinates', { __type: 'GeoPoint' }, null, 'invalid GeoPoint, stored as null'],
  ['GeoPoint with texts', point('30', '114'), null, 'invalid GeoPoint, stored as null'],
  ['GeoPoint out of range', point(91, 0), null, 'invalid GeoPoint, stored as null'],
  ['GeoPoint with swapped coordinates', point(114.3, 30.5), null, 'invalid GeoPoint, stored as null'],
  ['Date with null', { __type: 'Date', iso: null }, null, 'invalid Date, stored as null'],
  ['Date without iso', { __type: 'Date' }, null, 'invalid Date, stored as null'],
  ['Date with an empty text', { __type: 'Date', iso: '' }, null, 'invalid Date, stored as null'],
  ['Date with another text', { __type: 'Date', iso: 'room 7' }, null, 'invalid Date, stored as null'],
  ['Date with an impossible day', { __type: 'Date', iso: '2021-02-30' }, null, 'invalid Date, stored as null'],
  [
    'Date of the year 10000',
    { __type: 'Date', iso: '+010000-01-01T00:00:00.000Z' },
    null,
    'invalid Date, stored as null',
  ],
  ['Date with a number', { __type: 'Date', iso: 5 }, null, 'invalid Date, stored as null'],
  [
    'Pointer with a null id',
    { __type: 'Pointer', className: 'A', objectId: null },
    null,
    'invalid Pointer, stored as null',
  ],
  [
    'Pointer with an empty id',
    { __type: 'Pointer', className: 'A', objectId: '' },
    null,
    'invalid Pointer, stored as null',
  ],
  ['Pointer without a class', { __type: 'Pointer', objectId: 'x' }, null, 'invalid Pointer, stored as null'],
  [
    'Pointer to an impossible class',
    { __type: 'Pointer', className: 'a b', objectId: 'x' },
    null,
    'invalid Pointer, stored as null',
  ],
  ['embedded object without an id', { __type: 'Object', className: 'A' }, null, 'invalid Pointer, stored as null'],
  [
    'File without an id',
    { __type: 'File', name: 'a.png', url: 'https://a.example/a.png' },
    null,
    'invalid File, stored as null',
  ],
  ['File with a null id', { __type: 'File', id: null }, null, 'invalid File, stored as null'],
  [
    'Pointer to a file without an id',
    { __type: 'Pointer', className: '_File' },
    null,
    'invalid Pointer, stored as null',
  ],
  ['Bytes with null', { __type: 'Bytes', base64: null }, null, 'invalid Bytes, stored as null'],
  ['Bytes that are no base64', { __type: 'Bytes', base64: '***' }, null, 'invalid Bytes, stored as null'],
  ['unknown type', { __type: 'Circle', radius: 1 }, null, "value with an unknown '__type', stored as null"],
  ['type that is no text', { __type: null }, null, "value with an unknown '__type', stored as null"],
  ['list with odd values', [1, point(null, null), 'a'], [1, null, 'a'], 'invalid GeoPoint, stored as null'],
  [
    'object with odd values',
    { a: { b: point(null, null), c: 1 } },
    { a: { b: null, c: 1 } },
    'invalid GeoPoint, stored as null',
  ],
  ["key with '$'", { a: 1, $b: 2 }, { a: 1 }, "key with '$' or '.', omitted"],
  ["key with '.'", { a: 1, 'b.c': 2 }, { a: 1 }, "key with '$' or '.', omitted"],
  ['NUL', 'a\u0000b', 'a\ufffdb', 'string with NUL characters or unpaired surrogates, each replaced by U+FFFD'],
  [
    'half of a pair',
    `party ${HALF}`,
    'party \ufffd',
    'string with NUL characters or unpaired surrogates, each replaced by U+FFFD',
  ],
  [
    'half of a pair in a list',
    [HALF],
    ['\ufffd'],
    'string with NUL characters or unpaired surrogates, each replaced by U+FFFD',
  ],
  [
    'half of a pair in a key',
    { [HALF]: 1 },
    { '\ufffd': 1 },
    'string with NUL characters or unpaired surrogates, each replaced by U+FFFD',
  ],
]

describe('a value that the hosted service may hold and that cannot be stored', () => {
  test.each(ODD)('%s: keeps the record and reports the value with its field', (_, value, stored, reported) => {
    const { id, fields, notes } = parse({ objectId: 'p1', title: 'kept', odd: value })
    expect({ id, fields, notes }).toEqual({
      id: 'p1',
      fields: { title: 'kept', odd: stored },
      notes: [`field odd: ${reported}`],
    })
  })

  test.each(ODD)('%s: --strict rejects the record', (_, value) => {
    expect(() => parse({ objectId: 'p1', odd: value }, { strict: true })).toThrow(/odd|'\$|'b\.c/)
  })

  test('omits an invalid Relation, because its members are stored elsewhere', () => {
    const { fields, notes } = parse({ odd: { __type: 'Relation', className: null } })
    expect({ fields, notes }).toEqual({ fields: {}, notes: ['field odd: invalid Relation, omitted'] })
  })

  test.each(['NaN', 'Infinity', '-Infinity', '1e999', '-1e999'])('stores null for %s as a number', (number) => {
    const text = `{"objectId":"a","name":"NaN \\" Infinity","odd":${number},"list":[${number}]}`
    const { fields, notes } = parse(text)
    expect(fields).toEqual({ name: 'NaN " Infinity', odd: null, list: [null] })
    expect(notes).toEqual([
      'field odd: number out of range (NaN, Infinity), stored as null',
      'field list: number out of range (NaN, Infinity), stored as null',
    ])
  })

  test('stores null for a value nested too deeply at that depth', () => {
    const text = `{"odd":${'['.repeat(150)}${']'.repeat(150)}}`
    expect(parse(text).notes).toEqual(['field odd: value nested more than 100 levels deep, stored as null'])
  })

  test.each([
    [{ '*': { read: true, write: 'yes' } }, { '*': { read: true } }],
    [{ '*': null, u1: { write: true } }, { u1: { write: true } }],
    [{ 'a b': { read: true }, u1: { read: true, delete: true } }, { u1: { read: true } }],
    [{ '*': { read: 1 } }, {}],
    ['public', {}],
    [[1], {}],
  ])('ACL %j only grants its valid permissions, never more', (given, kept) => {
    const { acl, notes } = parse({ objectId: 'a', ACL: given })
    expect(JSON.parse(acl.acl!)).toEqual(kept)
    expect(notes[0]).toBe('field ACL: invalid entry, omitted, so that it grants nothing')
    expect(() => parse({ objectId: 'a', ACL: given }, { strict: true })).toThrow('ACL')
  })

  test.each([
    ['line breaks', 'aGVs\r\nbG8=\n', 'aGVsbG8='],
    ['the alphabet for URLs', '-_-_', '+/+/'],
    ['no padding', 'aGk', 'aGk='],
  ])('decodes base64 with %s to the same bytes', (_, base64, stored) => {
    const { fields, notes } = parse({ bytes: { __type: 'Bytes', base64 } })
    expect({ fields, notes }).toEqual({ fields: { bytes: { __type: 'Bytes', base64: stored } }, notes: [] })
  })

  test('keeps whole pairs and escaped backslashes', () => {
    const text = '{"a":"\\ud83c\\udf89 \\\\u0000 \\\\\\\\ud800"}'
    expect(parse(text)).toMatchObject({ fields: { a: '🎉 \\u0000 \\\\ud800' }, notes: [] })
  })

  test('replaces a null time of the object, and rejects the record for any other invalid time', () => {
    const { createdAt, notes } = parse({ createdAt: { __type: 'Date', iso: null }, updatedAt: '2020-01-02T00:00:00Z' })
    expect(createdAt).toBe('2020-01-02T00:00:00.000Z')
    expect(notes).toEqual([
      'field createdAt: invalid Date, replaced by the other time of the object or the time of the import',
    ])
    expect(() => parse({ createdAt: 'soon' })).toThrow("'createdAt'")
  })
})

describe('records of MongoDB', () => {
  const OID = '5f0000000000000000000001'

  test.each([
    [{ $oid: OID }, OID],
    ['a4d2e1b0c9f84f6d', 'a4d2e1b0c9f84f6d'],
    [17, '17'],
    [{ $numberLong: '17' }, '17'],
    [{ $uuid: '3b241101-e2bb-4255-8caf-4136c566a962' }, '3b241101-e2bb-4255-8caf-4136c566a962'],
  ])('reads _id %j as the objectId', (_id, id) => {
    expect(parse({ _id, n: 1 })).toMatchObject({ id, hasId: true, fields: { n: 1 }, notes: [] })
    // An `_id` equal to the objectId is redundant.
    expect(parse({ _id, objectId: id })).toMatchObject({ id, fields: {} })
  })

  test('prefers an objectId to a different _id, which stays a field', () => {
    expect(parse({ _id: { $oid: OID }, objectId: 'a' })).toMatchObject({ id: 'a', fields: { _id: OID } })
  })

  test('keeps an _id that is not a valid objectId as a field, and reports it', () => {
    const { hasId, fields, notes } = parse({ _id: '/post/hello world/' })
    expect({ hasId, fields }).toEqual({ hasId: false, fields: { _id: '/post/hello world/' } })
    expect(notes).toEqual(['field _id: not a valid objectId, replaced by a new one'])
  })

  test.each([
    [{ $oid: OID }, OID],
    [{ $date: '2020-01-02T03:04:05Z' }, { __type: 'Date', iso: '2020-01-02T03:04:05.000Z' }],
    [{ $date: { $numberLong: '1577934245000' } }, { __type: 'Date', iso: '2020-01-02T03:04:05.000Z' }],
    [{ $date: 1577934245000 }, { __type: 'Date', iso: '2020-01-02T03:04:05.000Z' }],
    [{ $numberInt: '5' }, 5],
    [{ $numberLong: '5' }, 5],
    [{ $numberDouble: '-1.5' }, -1.5],
    [{ $numberDecimal: '2.25' }, 2.25],
    [{ $binary: { base64: 'aGk=', subType: '00' } }, { __type: 'Bytes', base64: 'aGk=' }],
    [
      { $binary: 'aGk=', $type: '00' },
      { __type: 'Bytes', base64: 'aGk=' },
    ],
    [
      { $ref: '_User', $id: { $oid: OID } },
      { __type: 'Pointer', className: '_User', objectId: OID },
    ],
    [
      { $ref: '_File', $id: OID },
      { __type: 'File', id: OID },
    ],
    [{ $undefined: true }, null],
    [
      { __type: 'Pointer', className: 'A', objectId: { $oid: OID } },
      { __type: 'Pointer', className: 'A', objectId: OID },
    ],
    [{ deep: [{ $oid: OID }] }, { deep: [OID] }],
  ])('reads extended JSON %j, also with --strict', (value, stored) => {
    for (const strict of [false, true])
      expect(parse({ _id: { $oid: OID }, value }, { strict })).toMatchObject({ fields: { value: stored }, notes: [] })
  })

  test.each([
    [{ $date: 'soon' }, 'invalid Date, stored as null'],
    [{ $date: { $numberLong: '9'.repeat(18) } }, 'invalid Date, stored as null'],
    [{ $numberDouble: 'NaN' }, 'number out of range (NaN, Infinity), stored as null'],
    [{ $ref: 'A', $id: null }, 'invalid Pointer, stored as null'],
  ])('stores null for extended JSON %j with an invalid value', (value, reported) => {
    expect(parse({ value })).toMatchObject({ fields: { value: null }, notes: [`field value: ${reported}`] })
  })

  test('rounds and reports a long number beyond 2^53', () => {
    expect(parse({ n: { $numberLong: '9007199254740993' } }).notes).toEqual(['number beyond 2^53, rounded'])
  })

  test('reads times of the object in extended JSON', () => {
    const { createdAt } = parse({ createdAt: { $date: { $numberLong: '1577934245000' } } })
    expect(createdAt).toBe('2020-01-02T03:04:05.000Z')
  })
})

describe('texts in a column', () => {
  const textColumns = { dates: ['when'], numbers: ['score'] }

  test.each([
    ['when', '2020-01-02T03:04:05.006Z', { __type: 'Date', iso: '2020-01-02T03:04:05.006Z' }],
    ['when', '2020-01-02T11:04:05+08:00', { __type: 'Date', iso: '2020-01-02T03:04:05.000Z' }],
    ['when', 'room 7', 'room 7'],
    ['title', '2020-01-02T03:04:05.006Z', '2020-01-02T03:04:05.006Z'],
    ['score', 'NaN', null],
    ['score', '12', '12'],
    ['title', 'NaN', 'NaN'],
  ])('%s: stores %j as %j', (name, text, stored) => {
    expect(parse({ [name]: text }, { textColumns }).fields).toEqual({ [name]: stored })
  })
})
