import { describe, expect, it } from 'vitest'
import { parseFindQuery } from '../query-parameters.ts'
import { parseSelect } from './parse-statement.ts'
import { parametersOf } from './select.ts'

describe('select', () => {
  it('has no conditions when it selects everything', () => {
    expect(parseSelect('select * from Post', [])).toEqual({
      kind: 'select',
      className: 'Post',
      where: {},
      keys: [],
      include: [],
      order: [],
      limit: null,
      skip: 0,
      count: false,
      objects: true,
    })
  })

  it.each<[string, object]>([
    ['select title, author.name from Post', { keys: ['title', 'author.name'], objects: true }],
    ['select include author, * from Post', { keys: [], include: ['author'], objects: true }],
    ['select include author.city, title from Post', { keys: ['title'], include: ['author.city'] }],
    ['select include author, include owner, title from Post', { keys: ['title'], include: ['author', 'owner'] }],
    ['select count(*) from Post', { count: true, objects: false }],
    ['select COUNT(objectId), * from Post', { count: true, objects: true }],
    ['select * from Post limit 5', { limit: 5, skip: 0 }],
    ['select * from Post limit 20, 5', { limit: 5, skip: 20 }],
    ['select * from Post limit ?, ?', { limit: 8, skip: 7 }],
    ['select * from files', { className: '_File' }],
    ['select * from Post order by a limit 1', { order: ['a'], limit: 1 }],
    ['SELECT\n*\tFROM Post LIMIT 1 ORDER BY a', { order: ['a'], limit: 1 }],
    ['select count, limit, from from Post', { keys: ['count', 'limit', 'from'] }],
  ])('%s', (text, expected) => {
    expect(parseSelect(text, [7, 8])).toMatchObject(expected)
  })

  it.each([
    ['a', 'a'],
    ['a desc', '-a'],
    ['a, b DESC', '-a,-b'],
    ['a, b asc', 'a,b'],
    ['score,+name desc', '-score,name'],
    ['-score', '-score'],
    ['-score,name asc', '-score,name'],
    ['-score,name', '-score,name'],
    ['- score, + name', '-score,name'],
    ['a desc, b asc', '-a,b'],
    ['a desc, b', '-a,b'],
    ['a desc, b, c ASC', '-a,b,c'],
    ['a, b asc, -c, d.e desc', '-a,b,-c,-d.e'],
    ['-a asc, b desc', '-a,-b'],
    ['desc, asc desc', '-desc,-asc'],
  ])('order by %s', (text, expected) => {
    expect(parseSelect(`select * from Post order by ${text} limit 1`, []).order.join(',')).toBe(expected)
  })

  it('maps to the same query as the parameters of a class query', () => {
    const select = parseSelect('select title from Post where n > 1 order by n desc limit 3, 2', [])
    expect(parseFindQuery(parametersOf(select))).toEqual(
      parseFindQuery({ where: '{"n":{"$gt":1}}', keys: 'title', order: '-n', limit: '2', skip: '3' }),
    )
    expect(parseFindQuery(parametersOf(parseSelect('select count(*) from Post', [])))).toMatchObject({
      limit: 0,
      count: true,
    })
  })
})

describe('invalid select', () => {
  it.each([
    ['', "column 1: expected 'select', the only statement that is allowed here, found the end"],
    ["delete from Post where objectId = 'x'", "column 1: expected 'select', the only statement"],
    ['select from', 'column 12: expected from, found the end'],
    ['select * from', 'column 14: expected the name of a class, found the end'],
    ['select *, from Post', "column 16: expected from, found 'Post'"],
    ['select * from Post\nwhere', 'line 2, column 6: expected a field'],
    ['select * from Post where a', 'column 27: expected a comparison, found the end'],
    ['select * from Post where a = b', "column 30: expected a value (strings must be quoted), found 'b'"],
    ['select * from Post where a = ?', "column 30: 'pvalues' must have a value for each question mark; it has 0"],
    ['select * from Post where a = 1 b', "column 32: expected 'where', 'order by', 'limit' or the end"],
    ["select * from Post where a = 'b", "column 30: unexpected 'b"],
    ["select * from Post where a = pointer('b')", "column 30: 'pointer(…)' takes 2 values, not 1"],
    ["select * from Post where a = op('Delete')", "expected a value (strings must be quoted), found 'op'"],
    ["select * from Post where a = constructor('b')", 'expected a value (strings must be quoted)'],
    ['select * from Post where a = current_timestamp(1)', "'current_timestamp(…)' takes 0 values, not 1"],
    ['select * from Post where a = {', 'expected the name of a member, found the end'],
    ['select * from Post where a = {b', 'column 32: expected :'],
    ['select * from Post where a = {b: 1', 'column 35: expected }'],
    ['select * from Post where a = {b: 1,}', 'expected the name of a member'],
    ['select * from Post where a = {1: 1}', 'expected the name of a member'],
    ['select * from Post where a = - 1', "expected a value, found '-'"],
    ['select * from Post where a in (select a, b from C)', "'*' or one field in the inner select"],
    ['select * from Post where a like 1', 'column 33: expected a string'],
    ['select * from Post where a near [1, 2] max 5 constructor', 'column 46'],
    ['select * from Post where a near [1, 2] max 5 km min 1 km', "found 'min'"],
    ['select * from Post where a near [1, 2] min km', 'expected a distance'],
    ['select * from Post where size(a) > 2', 'column 34: expected ='],
    ["select * from Post where size(a) = 'b'", 'expected a number of elements'],
    ['select * from Post where size(a, b) = 1', 'expected )'],
    ['select * from Post where a = (select b, c from C)', "'*' or one field in the inner select"],
    ['select * from Post where a = (1)', "expected a value, found '('"],
    ['select * from Post where a not b', 'expected a comparison'],
    ['select * from Post order by a,', 'expected a field'],
    ['select * from Post order by --a', "expected a field, found '-'"],
    ['select * from Post order by a desc asc', "'limit' or the end"],
    ["select * from Post where a = 'b\u0000", 'column 30: unexpected'],
    ['select * from Post\u0000', 'column 19: unexpected'],
    ['select * from Post limit x', 'column 26: expected a number'],
    [`select * from Post where ${'('.repeat(33)}a = 1`, 'nesting must be at most 32 levels deep'],
    [`select * from Post where a = ${'['.repeat(40)}`, 'nesting must be at most 32 levels deep'],
    [`select * from Post where a = ${'{a:'.repeat(40)}`, 'nesting must be at most 32 levels deep'],
    [`select * from Post where a ${'= (select a from P where a '.repeat(40)}`, 'at most 32 levels'],
    ['x'.repeat(20_000), 'The statement has 20000 characters'],
  ])('rejects %j', (text, expected) => {
    expect(() => parseSelect(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    expect(() => parseSelect(text, [])).toThrow(expected)
  })

  it('reports an invalid class name', () => {
    expect(() => parseSelect('select * from a.b', [])).toThrow(expect.objectContaining({ code: 103 }))
  })
})
