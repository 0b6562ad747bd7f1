import { describe, expect, it } from 'vitest'
import {
  boolean,
  type Column,
  date,
  entry,
  isTrue,
  json,
  jsonOrNull,
  number,
  oneOf,
  rowDecoder,
  text,
  texts,
} from './decode-row.ts'
import type { Row } from './row.ts'

describe('rowDecoder', () => {
  it('reads each member from its column', () => {
    const decode = rowDecoder({
      id: text('id'),
      email: text.orNull('owner_email'),
      size: number('size'),
      share: number('share'),
      names: texts('names'),
      isDone: boolean('done'),
      createdAt: date('created_at'),
      settings: json<{ readonly a: number }>('settings'),
      state: oneOf('state', ['waiting', 'running']),
    })
    expect(
      decode({
        id: '1',
        owner_email: null,
        size: 5,
        share: '0.25',
        names: ['a'],
        done: false,
        created_at: '2026-01-02 03:04:05.678+00',
        settings: '{"a":1}',
        state: 'running',
        other: 'not declared',
      }),
    ).toEqual({
      id: '1',
      email: null,
      size: 5,
      share: 0.25,
      names: ['a'],
      isDone: false,
      createdAt: '2026-01-02T03:04:05.678Z',
      settings: { a: 1 },
      state: 'running',
    })
  })
})

describe('column', () => {
  const lacking: readonly [string, Column<unknown>, Row][] = [
    ['a row without it', text('id'), {}],
    ['a row without it, though it may be NULL', text.orNull('id'), {}],
    ['NULL as text', text('id'), { id: null }],
    ['NULL as a number', number('id'), { id: null }],
    ['a number as text', text('id'), { id: 1 }],
    ['the empty text as a number', number('id'), { id: '' }],
    ['a text as a boolean', boolean('id'), { id: 't' }],
    ['a text as a list', texts('id'), { id: '{a}' }],
    ['NULL as a time', date('id'), { id: null }],
    ['a name that is not known', oneOf('id', ['a']), { id: 'b' }],
  ]
  it.each(lacking)('rejects %s and names the column', (_, column, row) => {
    expect(() => column(row)).toThrow('the column id ')
  })

  it('converts a stored value, but not NULL', () => {
    const length = (stored: string) => stored.length
    expect(text('a', length)({ a: 'abc' })).toBe(3)
    expect(text.orNull('a', length)({ a: null })).toBeNull()
    expect(number.orNull('a', String)({ a: 7 })).toBe('7')
    expect(jsonOrNull('a')({ a: null })).toBeNull()
    expect(jsonOrNull('a')({ a: '[1]' })).toEqual([1])
  })

  it('counts NULL as false for `isTrue`', () => {
    expect([true, false, null].map((a) => isTrue('a')({ a }))).toEqual([true, false, false])
    expect(() => isTrue('a')({ a: 't' })).toThrow('the column a ')
  })

  it('decodes entries of maps', () => {
    expect(new Map([{ a: 'x', b: 1 }].map(entry(text('a'), number('b'))))).toEqual(new Map([['x', 1]]))
  })
})
