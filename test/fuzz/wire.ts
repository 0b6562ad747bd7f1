import fc from 'fast-check'

/**
 * JSON as text, because some inputs are not representable as values: numbers such as 1e400, duplicate keys, escaped lone
 * surrogates.
 */
export type JsonText = string

const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\u2028',
    '😀',
    'ß',
    '名',
    '\u{10ffff}',
    "'",
    '"',
    '\\',
    '$',
    '%',
    '--',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '{}', '[]'),
)

/** A JSON string; some contain lone surrogates or are very long. */
const jsonString: fc.Arbitrary<JsonText> = fc.oneof(
  { weight: 20, arbitrary: texts.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.constantFrom('"\\ud800"', '"\\udc00x"', '"x\\ud83d"', '"\\u0000"', '"\\ude00\\ud83d"') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(100, 3000, 100_000).map((length) => JSON.stringify('long '.repeat(length / 5))),
  },
)

const jsonNumber: fc.Arbitrary<JsonText> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -5, max: 5 }).map(String) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '1e400',
      '-1e400',
      '1e308',
      '-0',
      '0.0',
      '1e-400',
      '5e-324',
      '9007199254740993',
      '-9007199254740991',
      '123456789012345678901234567890',
      '2147483648',
      '1E2',
      `${'9'.repeat(400)}`,
      `0.${'1'.repeat(400)}`,
    ),
  },
)

const scalar: fc.Arbitrary<JsonText> = fc.oneof(jsonString, jsonNumber, fc.constantFrom('null', 'true', 'false'))

/** Field names, mostly valid, and few, so that different requests share them. */
const fieldName: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('a', 'b', 'c', 'text', 'number', 'list', 'object', 'place', 'owner', 'when'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('object.a', 'object.a.b', 'object.0', 'list.0', 'place.latitude', 'a.b.c.d'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'objectId',
      'createdAt',
      'updatedAt',
      'ACL',
      'className',
      '__type',
      '__op',
      '_x',
      '$x',
      '.',
      'a.',
      '.a',
      'a..b',
      '',
      ' ',
      'a b',
      '名',
      '__internalId',
      'toJSON',
      'then',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(127, 128, 129, 5000).map((length) => 'k'.repeat(length)) },
  { weight: 1, arbitrary: texts },
)

/** A member of an object. */
type Member = readonly [key: string, value: JsonText]

/** Writes an object, possibly malformed: members are written in order, including duplicates. */
export function object(members: readonly Member[]): JsonText {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
}

/** Generates members that can be missing or have a value of another type. */
function record(members: Record<string, fc.Arbitrary<JsonText>>, rest = scalar): fc.Arbitrary<JsonText> {
  const some = Object.entries(members).map(([key, arbitrary]) =>
    fc.oneof(
      { weight: 12, arbitrary: arbitrary.map((value): Member[] => [[key, value]]) },
      { weight: 1, arbitrary: fc.constant<Member[]>([]) },
      { weight: 1, arbitrary: rest.map((value): Member[] => [[key, value]]) },
    ),
  )
  return fc.tuple(...some).map((lists) => object(lists.flat()))
}

const quoted = (...values: string[]) => fc.constantFrom(...values.map((value) => JSON.stringify(value)))

const dates = quoted(
  '2026-11-20T21:27:00.123Z',
  '2026-11-20T21:27:00Z',
  '2026-11-20',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '2026-13-40T25:61:61.000Z',
  '2026-02-30T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  'now',
  '',
)
const classNames = quoted('Post', 'Comment', '_User', '_File', '_Role', '_Nothing', 'No such class', 'Po"st', '')
const ids = quoted(
  'abc',
  '5f0000000000000000000001',
  '',
  'a b',
  "'",
  'x'.repeat(128),
  'x'.repeat(129),
  '\u0000',
  '../..',
)
const degrees = fc.oneof(
  fc.constantFrom('0', '-0', '90', '-90', '90.0000001', '180', '-180', '180.5', '1e-320', '40.1'),
  jsonNumber,
)

const pointer = record({ __type: quoted('Pointer', 'Object'), className: classNames, objectId: ids })
const geoPoint = record({ __type: quoted('GeoPoint'), latitude: degrees, longitude: degrees })
const dateValue = record({ __type: quoted('Date'), iso: dates })

const typed: fc.Arbitrary<JsonText> = fc.oneof(
  pointer,
  geoPoint,
  dateValue,
  record({ __type: quoted('Bytes'), base64: quoted('aGk=', '', 'aGk', 'a b=', '====', '名') }),
  record({ __type: quoted('File'), id: ids }),
  record({ __type: quoted('Relation'), className: classNames }),
  record({ __type: fc.oneof(jsonString, scalar) }),
)

/** Any field value, slightly nested. */
export const value: fc.Arbitrary<JsonText> = fc.letrec<{ value: JsonText }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    { weight: 5, arbitrary: scalar },
    { weight: 4, arbitrary: typed },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 2, arbitrary: fc.array(fc.tuple(fieldName, tie('value')), { maxLength: 3 }).map(object) },
    { weight: 1, arbitrary: fc.constantFrom(90, 99, 100, 101, 150, 900, 100_000).map(nested) },
  ),
})).value

/** Returns nested lists or nested objects. */
function nested(depth: number): JsonText {
  return depth % 2 === 0 ? `${'['.repeat(depth)}${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}

const list = fc.array(value, { maxLength: 4 }).map((items) => `[${items.join(',')}]`)
const pointers = fc.array(pointer, { maxLength: 4 }).map((items) => `[${items.join(',')}]`)

const plainOperation: fc.Arbitrary<JsonText> = fc.oneof(
  record({ __op: quoted('Delete') }),
  record({ __op: quoted('Increment', 'Decrement'), amount: jsonNumber }),
  record({ __op: quoted('Add', 'AddUnique', 'Remove'), objects: list }),
  record({ __op: quoted('AddRelation', 'RemoveRelation'), objects: pointers }),
  record({ __op: quoted('BitAnd', 'BitOr', 'BitXor'), value: jsonNumber }),
  record({ __op: scalar, amount: jsonNumber, objects: list, value: jsonNumber }),
)
export const operation: fc.Arbitrary<JsonText> = fc.oneof(
  { weight: 6, arbitrary: plainOperation },
  {
    weight: 2,
    arbitrary: record({
      __op: quoted('Batch'),
      ops: fc.array(plainOperation, { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    }),
  },
)

const acl: fc.Arbitrary<JsonText> = fc.oneof(
  fc
    .array(
      fc.tuple(
        fc.constantFrom('*', 'abc', 'role:admin', 'role:', '_owner', '', 'a b', 'role:"\\,{}'),
        fc.constantFrom(
          '{"read":true}',
          '{"read":true,"write":true}',
          '{"write":false}',
          '{}',
          '{"x":true}',
          'true',
          '{"read":1}',
        ),
      ),
      { maxLength: 4 },
    )
    .map(object),
  value,
)

const member: fc.Arbitrary<Member> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fieldName, value) },
  { weight: 5, arbitrary: fc.tuple(fieldName, operation) },
  { weight: 1, arbitrary: acl.map((one): Member => ['ACL', one]) },
)

/** The body of a create or update, mostly an object. */
export const objectBody: fc.Arbitrary<JsonText> = fc.oneof(
  { weight: 12, arbitrary: fc.array(member, { maxLength: 4 }).map(object) },
  { weight: 1, arbitrary: value },
)

/** Changes a position of a text, which makes it invalid or different JSON. */
export function corrupted(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.nat(), fc.constantFrom('', '{', '}', '"', ',', '\u0000', '\\', '[', '1', '\ufeff', '//'))
    .map(([whole, at, piece]) => {
      const place = at % (whole.length + 1)
      return whole.slice(0, place) + piece + whole.slice(place + 1)
    })
}

const anyOperator: fc.Arbitrary<string> = fc.constantFrom(
  '$eq',
  '$ne',
  '$in',
  '$nin',
  '$all',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$exists',
  '$size',
  '$regex',
  '$options',
  '$not',
  '$inQuery',
  '$notInQuery',
  '$select',
  '$dontSelect',
  '$nearSphere',
  '$maxDistance',
  '$maxDistanceInMiles',
  '$minDistanceInKilometers',
  '$within',
  '$relatedTo',
  '$or',
  '$and',
  '$where',
  '$',
  '$__proto__',
  '$nor',
)

/** A regular expression built from valid and invalid parts. */
const pattern: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(
        fc.constantFrom(
          'a',
          'b',
          'Straße',
          '.',
          '^',
          '$',
          '*',
          '+',
          '?',
          '*?',
          '{2}',
          '{0,3}',
          '{,3}',
          '{1000}',
          '{99999999}',
          '(',
          ')',
          '(?:',
          '(?=',
          '(?!',
          '(?<=',
          '(?<n>',
          '(?i)',
          '(?#x)',
          '[',
          ']',
          '[^',
          'a-z',
          'z-a',
          '[:alpha:]',
          '|',
          '\\',
          '\\d',
          '\\w',
          '\\b',
          '\\1',
          '\\Q',
          '\\E',
          '\\u{1f600}',
          '\\x41',
          '\\p{L}',
          '\\P{Han}',
          '\\c',
          '\\A',
          '\\Z',
          '#',
          ' ',
          '\n',
          '名',
          '😀',
          '\u0000',
          '(a+)+',
          '(.*)*',
          '(a|a)*b',
          '***:',
          '***=',
        ),
        { maxLength: 8 },
      )
      .map((pieces) => pieces.join('')),
  },
  { weight: 1, arbitrary: texts },
)

const alone = (member: Member): Member[] => [member]

/** Returns a usually matching operand for an operator. */
function operators(where: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> {
  const query = record({ className: classNames, where, limit: jsonNumber, skip: jsonNumber, order: jsonString })
  const one = fc.oneof(
    fc.tuple(fc.constantFrom('$eq', '$ne', '$lt', '$lte', '$gt', '$gte'), value).map(alone),
    fc.tuple(fc.constantFrom('$in', '$nin', '$all'), list).map(alone),
    fc.tuple(fc.constantFrom('$exists', '$size'), fc.oneof(fc.constantFrom('true', '0', '2'), scalar)).map(alone),
    fc.tuple(pattern, fc.constantFrom('', 'i', 'm', 'x', 's', 'imsx', 'ii', 'g')).map(([regex, options]): Member[] => [
      ['$regex', JSON.stringify(regex)],
      ['$options', JSON.stringify(options)],
    ]),
    fc
      .tuple(geoPoint, fc.constantFrom('$maxDistance', '$maxDistanceInMiles', '$minDistanceInKilometers'), jsonNumber)
      .map(([point, bound, distance]): Member[] => [
        ['$nearSphere', point],
        [bound, distance],
      ]),
    fc.tuple(geoPoint, geoPoint).map(([one, other]): Member[] => [['$within', `{"$box":[${one},${other}]}`]]),
    fc.tuple(fc.constantFrom('$inQuery', '$notInQuery'), query).map(alone),
    fc
      .tuple(
        fc.constantFrom('$select', '$dontSelect'),
        record({ key: fieldName.map((name) => JSON.stringify(name)), query }),
      )
      .map(alone),
    fc.tuple(fc.constant('$not'), where).map(alone),
    fc.tuple(anyOperator, value).map(alone),
  )
  return fc.array(one, { minLength: 1, maxLength: 2 }).map((pairs) => object(pairs.flat()))
}

/** A condition, mostly a valid one. */
export const where: fc.Arbitrary<JsonText> = fc.letrec<{ where: JsonText }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'where' },
    {
      weight: 8,
      arbitrary: fc
        .array(fc.tuple(fieldName, fc.oneof(value, operators(tie('where')), operators(tie('where')))), { maxLength: 3 })
        .map(object),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('$or', '$and', '$nor', '$not'), fc.array(tie('where'), { maxLength: 3 }))
        .map(([key, parts]) => object([[key, `[${parts.join(',')}]`]])),
    },
    {
      weight: 1,
      arbitrary: record({
        $relatedTo: record({ object: pointer, key: fieldName.map((name) => JSON.stringify(name)) }),
      }),
    },
    { weight: 1, arbitrary: value },
  ),
})).where

const parameterValue = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '10',
    '1001',
    '1e3',
    '1e400',
    'NaN',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '0x10',
    '１',
  ),
  fc.constantFrom(
    'a',
    '-a',
    'a,-b',
    'a.b',
    '-createdAt,a',
    'owner',
    'owner.owner.owner',
    '-objectId',
    '$x',
    '-',
    ',',
    'ACL',
    'a.b.c.d.e.f.g.h.i',
  ),
  texts,
)

/** Query parameters with matching or mismatching values. */
export const parameters: fc.Arbitrary<[string, string][]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(
        fc.constantFrom(
          'order',
          'limit',
          'skip',
          'count',
          'keys',
          'include',
          'returnACL',
          'fetchWhenSave',
          'new',
          'where',
          'cursor',
          'scan_key',
          'appId',
        ),
        parameterValue,
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fieldName, parameterValue) },
  ),
  { maxLength: 4 },
)

/** Returns parameters as a query string. Lone surrogates have no percent-encoding. */
export function search(pairs: readonly (readonly [string, string])[]): string {
  const entries = pairs.map(([name, text]): [string, string] => [name.toWellFormed(), text.toWellFormed()])
  return new URLSearchParams(entries).toString()
}
