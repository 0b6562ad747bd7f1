import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { ApiError } from '../../errors.ts'
import { parseChanges } from '../operations/parse.ts'
import { parseFindQuery, parseWhereParameter } from '../query-parameters.ts'
import { parseStatement, parseValues, type Statement } from './parse-statement.ts'
import { parametersOf } from './select.ts'

/** Does what the endpoints do with a statement. */
function carryOut(statement: Statement): void {
  if (statement.kind === 'select') parseFindQuery(parametersOf(statement))
  if (statement.kind === 'insert') for (const body of statement.bodies) parseChanges(body, false)
  if (statement.kind === 'update') parseChanges(statement.body, true)
  if (statement.kind === 'update' || statement.kind === 'delete') parseWhereParameter(statement.where ?? undefined)
}

describe('statement', () => {
  it.each(['', ' ', 'drop table P', 'selectx * from P', "'select'", 'x'.repeat(20), '\u0000'])(
    '%j is not a statement',
    (text) => {
      expect(() => parseStatement(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    },
  )

  it('has at most 16384 characters', () => {
    const ofLength = (length: number) => "delete from P where objectId = 'p1'".padEnd(length)
    expect(parseStatement(ofLength(16_384), []).kind).toBe('delete')
    expect(() => parseStatement(ofLength(16_385), [])).toThrow(
      'The statement has 16385 characters; the maximum is 16384.',
    )
  })

  it('is always rejected with a code', () => {
    const word = fc.constantFrom(
      ...`select insert into values update set delete * from where and or not in all size regexp ( ) , ? = < != like is null
        order by desc limit count near min max km Post a.b objectId = 'p1' __proto__ constructor 1 -2 - + [ ] { } : 'x' "y"
        date( pointer( file( base64( geopoint( current_timestamp() op( 'Add',`.split(/\s+/),
    )
    const beginning = fc.constantFrom(
      'select * from Post where',
      'insert into Post(a, b) values(1,',
      'update Post set a =',
      "update Post set a = 1 where objectId = 'p1' and",
      "delete from Post where objectId = 'p1' and",
      '',
    )
    fc.assert(
      fc.property(beginning, fc.array(word, { maxLength: 30 }), fc.string(), (begin, words, end) => {
        try {
          carryOut(parseStatement(`${begin} ${words.join(' ')}${end}`, [1, 'a']))
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
      runs(5000),
    )
  })
})

describe('pvalues', () => {
  it('are a list, or its JSON', () => {
    expect(parseValues('[1,"a"]')).toEqual([1, 'a'])
    expect(parseValues([1])).toEqual([1])
    // The Python SDK encodes a list twice.
    expect(parseValues(JSON.stringify('[1,"a"]'))).toEqual([1, 'a'])
    for (const nothing of [undefined, null, '']) expect(parseValues(nothing)).toEqual([])
  })

  it.each([
    ['{}', 300],
    ['x', 107],
    ['"x"', 107],
    [JSON.stringify(JSON.stringify('[1]')), 300],
    [5, 300],
  ])('rejects %j', (values, code) => {
    expect(() => parseValues(values)).toThrow(expect.objectContaining({ code }))
  })
})

it.each(['select * from Post;', 'select * from Post ; ', 'select * from Post;;', "insert into Post (a) values (';');"])(
  '%s may end with a semicolon',
  (text) => {
    expect(parseStatement(text, []).className).toBe('Post')
  },
)

it.each(['select * from Post; delete from Post', '; select * from Post', 'select * ; from Post', ';'])(
  '%s may have no semicolon elsewhere',
  (text) => {
    expect(() => parseStatement(text, [])).toThrow(expect.objectContaining({ code: 300 }))
  },
)
