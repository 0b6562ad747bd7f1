import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../values/json.ts'
import { parseWhereParameter } from '../query-parameters.ts'
import { parseStatement } from './parse-statement.ts'
import type { Update } from './update.ts'

const body = (assignments: string) =>
  (parseStatement(`update P set ${assignments} where objectId = 'p1'`, [7]) as Update).body

describe('update', () => {
  it('has the body that changes one object', () => {
    expect(parseStatement("update GameScore set score=90, name='leancloud' where objectId='abc'", [])).toEqual({
      kind: 'update',
      className: 'GameScore',
      body: { score: 90, name: 'leancloud' },
      objectId: 'abc',
      where: null,
    })
  })

  it.each<[string, JsonObject]>([
    ['a = ?', { a: 7 }],
    ['a = null, b = [1], c = {d: 2}', { a: null, b: [1], c: { d: 2 } }],
    ['set = 1, where = 2', { set: 1, where: 2 }],
    ['op = 1', { op: 1 }],
    ['profile.city = 1', { 'profile.city': 1 }],
    ["amount = op('Decrement', {'amount': 50})", { amount: { __op: 'Decrement', amount: 50 } }],
    [
      "friends = op('AddRelation', {'objects': [pointer('_User', 'id')]})",
      { friends: { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_User', objectId: 'id' }] } },
    ],
    ["a = OP('Delete')", { a: { __op: 'Delete' } }],
    ["a = op('Increment', {__op: 'Delete', amount: ?})", { a: { __op: 'Increment', amount: 7 } }],
    [
      "a = op('BitAnd', {value: 1}), b = op('Remove', {objects: []})",
      { a: { __op: 'BitAnd', value: 1 }, b: { __op: 'Remove', objects: [] } },
    ],
  ])('set %s', (assignments, expected) => {
    expect(body(assignments)).toEqual(expected)
  })

  it('sets fields named like a built-in property', () => {
    expect(JSON.stringify(body("__proto__ = 1, constructor = op('Add', {__proto__: 2})"))).toBe(
      '{"__proto__":1,"constructor":{"__proto__":2,"__op":"Add"}}',
    )
  })

  it.each([
    ['update', 'expected the name of a class'],
    ["update P where objectId = 'x'", 'expected set'],
    ["update P set where objectId = 'x'", "expected =, found 'objectId'"],
    ["update P set a where objectId = 'x'", "expected =, found 'where'"],
    ["update P set a = 1, where objectId = 'x'", "expected =, found 'objectId'"],
    ["update P set a = 1, a = 2 where objectId = 'x'", "column 21: the field 'a' occurs twice"],
    ["update P set 'a' = 1 where objectId = 'x'", 'expected a field'],
    ["update P set a = a + 1 where objectId = 'x'", 'expected a value (strings must be quoted)'],
    ["update P set a = (select b from C) where objectId = 'x'", "expected a value, found '('"],
    ['update P set a = 1', "expected 'where objectId = …', found the end"],
    ["update P set a = 1 b where objectId = 'x'", "expected 'where objectId = …', found 'b'"],
    ["update P set a = 1 where objectId = 'x' limit 1", "expected the end, found 'limit'"],
  ])('rejects %j', (text, expected) => {
    expect(() => parseStatement(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    expect(() => parseStatement(text, [])).toThrow(expected)
  })
})

describe('delete', () => {
  it('targets one object', () => {
    expect(parseStatement("delete from P where objectId = 'p1'", [])).toEqual({
      kind: 'delete',
      className: 'P',
      objectId: 'p1',
      where: null,
    })
  })

  it.each([
    ['delete P', "expected from, found 'P'"],
    ['delete * from P', 'expected from'],
    ['delete from', 'expected the name of a class'],
    ['delete from P', "expected 'where objectId = …'"],
    ["delete from P where objectId = 'x' order by a", 'expected the end'],
  ])('rejects %j', (text, expected) => {
    expect(() => parseStatement(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    expect(() => parseStatement(text, [])).toThrow(expected)
  })
})

describe.each(['update P set a = 1', 'delete from P'])('%s', (beginning) => {
  const target = (condition: string) => parseStatement(`${beginning} where ${condition}`, ['p2'])

  it.each<[string, string, object | null]>([
    ["objectId = 'p1'", 'p1', null],
    ['objectId = ?', 'p2', null],
    ["(((objectId = 'p1')))", 'p1', null],
    ["objectId = 'p1' and amount >= 100", 'p1', { objectId: { $eq: 'p1' }, amount: { $gte: 100 } }],
    ["amount >= 100 and objectId = 'p1'", 'p1', { objectId: { $eq: 'p1' }, amount: { $gte: 100 } }],
    [
      "objectId = 'p1' and (a = 1 or b = 2)",
      'p1',
      { objectId: { $eq: 'p1' }, $or: [{ a: { $eq: 1 } }, { b: { $eq: 2 } }] },
    ],
    [
      "a > 1 and (a < 5 and objectId = 'p1')",
      'p1',
      { $and: [{ a: { $gt: 1 } }, { a: { $lt: 5 }, objectId: { $eq: 'p1' } }] },
    ],
    // Both must hold, which no object can meet.
    ["objectId = 'p1' and objectId = 'p2'", 'p1', { $and: [{ objectId: { $eq: 'p1' } }, { objectId: { $eq: 'p2' } }] }],
    [
      "objectId in ('p1', 'p2') and objectId = 'p1'",
      'p1',
      { $and: [{ objectId: { $in: ['p1', 'p2'] } }, { objectId: { $eq: 'p1' } }] },
    ],
  ])('where %s', (condition, objectId, where) => {
    expect(target(condition)).toMatchObject({ objectId, where })
    if (where) parseWhereParameter((target(condition) as Update).where!)
  })

  it.each([
    'a = 1',
    "objectId != 'p1'",
    "objectId in ('p1')",
    "objectId > ''",
    "objectId = 'p1' or objectId = 'p2'",
    "a = 1 or objectId = 'p1' and b = 2",
    "a = 1 and (objectId = 'p1' or b = 2)",
    'objectId = (select name from C)',
    "a.objectId = 'p1'",
    "ObjectId = 'p1'",
  ])('where %s is rejected: it does not target one object', (condition) => {
    expect(() => target(condition)).toThrow(expect.objectContaining({ code: 300 }))
    expect(() => target(condition)).toThrow(
      `column ${beginning.length + 2}: the condition must contain objectId = '…', alone or joined by 'and'`,
    )
  })

  it.each(["'p1,p2'", "'../_User/x'", "''", "'p 1'", '1', 'null', "'p1\u0000'", "['p1']"])(
    'where objectId = %j is rejected: it is not a valid id',
    (id) => {
      expect(() => target(`objectId = ${id}`)).toThrow(expect.objectContaining({ code: 104, status: 400 }))
    },
  )
})
