import { describe, expect, it } from 'vitest'
import type { Json } from '../../values/json.ts'
import { parseStatement } from './parse-statement.ts'

const rows = (count: number) => Array(count).fill('(1)').join(',')

describe('insert', () => {
  it('has a body for each new object', () => {
    expect(parseStatement("insert into Player(name, age) values('LeanCloud', 2)", [])).toEqual({
      kind: 'insert',
      className: 'Player',
      bodies: [{ name: 'LeanCloud', age: 2 }],
    })
  })

  it.each<[string, readonly object[]]>([
    [
      "INSERT INTO P (a, b) VALUES ('x', 2), ('y', 3)",
      [
        { a: 'x', b: 2 },
        { a: 'y', b: 3 },
      ],
    ],
    [
      'insert into P(a, b) values (?, ?), (?, 3)',
      [
        { a: 7, b: 8 },
        { a: [9], b: 3 },
      ],
    ],
    ['insert into P(a) values (null), (true), ([1, [2]])', [{ a: null }, { a: true }, { a: [1, [2]] }]],
    ["insert into P(a) values (pointer('C', 'id'))", [{ a: { __type: 'Pointer', className: 'C', objectId: 'id' } }]],
    ['insert into P(a) values (geopoint(1, 2))', [{ a: { __type: 'GeoPoint', longitude: 1, latitude: 2 } }]],
    ["insert into P(a) values (file('f'))", [{ a: { __type: 'File', id: 'f' } }]],
    ["insert into P(a) values (date('d'))", [{ a: { __type: 'Date', iso: 'd' } }]],
    ["insert into P(a) values (base64('YQ=='))", [{ a: { __type: 'Bytes', base64: 'YQ==' } }]],
    ["insert into P(a) values (op('Add', {objects: [1]}))", [{ a: { __op: 'Add', objects: [1] } }]],
    [`insert into P(ACL) values ({"*": {read: true}})`, [{ ACL: { '*': { read: true } } }]],
    ['insert into P(values, into) values (1, 2)', [{ values: 1, into: 2 }]],
    ['insert into P() values ()', [{}]],
    ['insert into P(a.b) values (1)', [{ 'a.b': 1 }]],
    [`insert into P(a) values ${rows(1000)}`, Array(1000).fill({ a: 1 })],
  ])('%.80s', (text, bodies) => {
    const values: readonly Json[] = [7, 8, [9]]
    expect(parseStatement(text, values)).toMatchObject({ className: 'P', bodies })
  })

  it('sets fields named like a built-in property', () => {
    const text = 'insert into P(__proto__, constructor, hasOwnProperty) values({__proto__: 1}, 2, 3)'
    expect(JSON.stringify(parseStatement(text, []))).toContain(
      '[{"__proto__":{"__proto__":1},"constructor":2,"hasOwnProperty":3}]',
    )
  })

  it.each([
    ['insert', 'column 7: expected into, found the end'],
    ['insert Player(a) values(1)', "expected into, found 'Player'"],
    ['insert into', 'expected the name of a class'],
    ['insert into Player', 'expected (, found the end'],
    ["insert into Player values('a')", "column 20: expected (, found 'values'"],
    ['insert into Player(a', 'expected ), found the end'],
    ['insert into Player(a,) values(1)', 'expected a field'],
    ["insert into Player('a') values(1)", 'expected a field'],
    ['insert into Player(a) (1)', 'expected values'],
    ['insert into Player(a) values', 'expected (, found the end'],
    ['insert into Player(a) values(1', 'expected ), found the end'],
    ['insert into Player(a) values(1),', 'expected (, found the end'],
    ['insert into Player(a) values(1) where b = 2', "expected the end, found 'where'"],
    [
      'insert into Player(a, b)\nvalues(1, 2),\n(3)',
      'line 3, column 1: the number of values must equal the number of fields; fields: 2, values: 1',
    ],
    [
      'insert into Player(a) values(1, 2)',
      'column 29: the number of values must equal the number of fields; fields: 1, values: 2',
    ],
    ['insert into Player(a) values()', 'the number of values must equal the number of fields; fields: 1, values: 0'],
    ['insert into Player() values(1)', 'the number of values must equal the number of fields; fields: 0, values: 1'],
    ['insert into Player(a, b, a) values(1, 2, 3)', "column 26: the field 'a' occurs twice"],
    ['insert into Player(a) values(?)', "'pvalues' must have a value for each question mark; it has 0"],
    ['insert into Player(a) values(b)', 'expected a value (strings must be quoted)'],
    ['insert into Player(a) values(select a from B)', 'expected a value (strings must be quoted)'],
    ['insert into Player(a) values(op())', "'op(…)' takes 1 to 2 values, not 0"],
    ["insert into Player(a) values(op('Add', {}, 1))", "'op(…)' takes 1 to 2 values, not 3"],
    [
      "insert into Player(a) values(op('Add', 1))",
      'the name of an operation and, optionally, an object of its parameters',
    ],
    [
      "insert into Player(a) values(op('Add', [1]))",
      'the name of an operation and, optionally, an object of its parameters',
    ],
    [
      'insert into Player(a) values(op(1, {}))',
      'the name of an operation and, optionally, an object of its parameters',
    ],
    ["insert into Player(a) values([op('Delete')])", "expected a value (strings must be quoted), found 'op'"],
    [`insert into Player(a) values(${'['.repeat(40)}`, 'nesting must be at most 32 levels deep'],
    [`insert into Player(a) values ${rows(1001)}`, 'at most 1000 objects can be inserted at once'],
    [
      "insert into _User(username, password) values('a', 'b'), ('c', 'd')",
      'objects of _User must be inserted one at a time',
    ],
    ["insert into Player(a) values('\u0000", 'unexpected'],
  ])('rejects %.80j', (text, expected) => {
    expect(() => parseStatement(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    expect(() => parseStatement(text, [])).toThrow(expected)
  })

  it('reports an invalid class name', () => {
    expect(() => parseStatement('insert into a.b(c) values(1)', [])).toThrow(expect.objectContaining({ code: 103 }))
  })
})
