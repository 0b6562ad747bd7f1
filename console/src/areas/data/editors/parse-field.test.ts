import { describe, expect, it } from 'vitest'
import { en } from '../../../i18n/en.ts'
import { zh } from '../../../i18n/zh.ts'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { parseField } from './parse-field.ts'

const time = (iso: string) => ({ __type: 'Date', iso })
const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Post', objectId })
const place = (longitude: number, latitude: number) => ({ __type: 'GeoPoint', latitude, longitude })

/** For each type: valid texts with their values, and invalid texts. */
const TYPES: {
  readonly [type: string]: {
    readonly right: readonly (readonly [string, unknown])[]
    readonly wrong: readonly string[]
  }
} = {
  String: {
    right: [
      ['', ''],
      [' a ', ' a '],
      ['12', '12'],
      ['null', 'null'],
    ],
    wrong: [],
  },
  Number: {
    right: [
      ['0', 0],
      [' -3.50 ', -3.5],
      ['+7', 7],
      ['.5', 0.5],
      ['5.', 5],
      ['1e6', 1e6],
      ['1E-3', 0.001],
      ['9007199254740992', 2 ** 53],
      ['100000000000000000000', 1e20],
      ['12345678901234567000', 12345678901234567000],
    ],
    wrong: [
      '',
      ' ',
      'abc',
      '12abc',
      '1 2',
      '1,5',
      '1,000',
      '1_000',
      '--5',
      '+-5',
      '0x10',
      '0b1',
      '１２',
      'NaN',
      'Infinity',
      '-Infinity',
      '1e999',
      '-1e999',
      '1e',
      'e5',
      '.',
      '-',
      'true',
      'null',
      '"1"',
      '[1]',
      '9007199254740993',
      '12345678901234567890',
    ],
  },
  Boolean: {
    right: [
      ['true', true],
      [' FALSE ', false],
    ],
    wrong: ['', 'yes', 'no', '1', '0', 'tru', 'null', '"true"', '是'],
  },
  Date: {
    right: [
      ['2026-01-31', time('2026-01-31T00:00:00.000Z')],
      ['2026-01-31T08:30Z', time('2026-01-31T08:30:00.000Z')],
      ['2026-01-31T08:30:15.5+08:00', time('2026-01-31T00:30:15.500Z')],
      ['2026-01-31T08:30:15.123456789-0330', time('2026-01-31T12:00:15.123Z')],
      ['2024-02-29', time('2024-02-29T00:00:00.000Z')],
    ],
    wrong: [
      '',
      ' ',
      '5',
      'room 7',
      '2026-01-31 08:30:15',
      'yesterday',
      '2026',
      '2026-01',
      '2026-1-31',
      '01/31/2026',
      '31.01.2026',
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-01-32',
      '2026-01-31T24:00:00Z',
      '2026-01-31T08:60Z',
      '2026-01-31T08:30:61Z',
      '2026-01-31T08Z',
      '2026-01-31T08:30:15+25:00',
      '2026-01-31T08:30:15 CET',
      '1767225600000',
      '12026-01-31',
      '-2026-01-31',
      '2026-01-31Z00:00',
      '0000-01-01T00:00:00+08:00',
      '9999-12-31T23:59:59-08:00',
    ],
  },
  GeoPoint: {
    right: [
      ['116.4 39.9', place(116.4, 39.9)],
      [' -180  90 ', place(-180, 90)],
    ],
    wrong: [
      '',
      '1',
      '1 2 3',
      '200 10',
      '10 91',
      '-180.1 0',
      'a b',
      '116.4,39.9',
      '116.4° 39.9°',
      'NaN 0',
      '0 Infinity',
      '{}',
    ],
  },
  Pointer: {
    right: [
      ['5f1a', pointer('5f1a')],
      [' a-b_c ', pointer('a-b_c')],
    ],
    wrong: ['', ' ', 'a b', 'a/b', 'Post/5f1a', 'ü', '用户', 'x'.repeat(129), '{"objectId":"a"}'],
  },
  File: { right: [['5f1a', { __type: 'File', id: '5f1a' }]], wrong: ['', 'a b', 'https://example.org/a.png'] },
  Bytes: {
    right: [
      ['', { __type: 'Bytes', base64: '' }],
      [' aGk= ', { __type: 'Bytes', base64: 'aGk=' }],
    ],
    wrong: ['a', 'aGk', 'aG=k', 'aGk_', 'aGk=\naGk=', 'a===', 'hello world!', '====='],
  },
  Array: {
    right: [
      ['[]', []],
      ['[1, {"a": null}]', [1, { a: null }]],
      ['["9007199254740993", "\\"1e999", -0.5e-3, 1e20]', ['9007199254740993', '"1e999', -0.0005, 1e20]],
    ],
    wrong: [
      '[1e999]',
      '[[-1e400]]',
      '[9007199254740993]',
      '["a\\\\", 1e999]',
      '',
      '[1',
      '[1,]',
      '{}',
      '{"0": 1}',
      '1',
      '"[]"',
      'null',
      "['a']",
      '1, 2',
      '[NaN]',
    ],
  },
  Object: {
    right: [
      ['{}', {}],
      ['{"a": [1]}', { a: [1] }],
      ['{"9007199254740993": "x"}', { '9007199254740993': 'x' }],
    ],
    wrong: [
      '{"a": 1e999}',
      '{"a":{"b":12345678901234567890}}',
      '',
      '{',
      '{a: 1}',
      "{'a': 1}",
      '[]',
      '[{}]',
      '1',
      'null',
      '"{}"',
      'true',
      '{"a": undefined}',
      '{"a": 1,}',
    ],
  },
  ACL: { right: [['{"*": {"read": true}}', { '*': { read: true } }]], wrong: ['', '[]', '*', 'null', 'public'] },
  Any: {
    right: [
      ['1', 1],
      ['"a"', 'a'],
      ['null', null],
      ['[1]', [1]],
    ],
    wrong: ['', 'abc', '{', "'a'", 'undefined', '1e999', '9007199254740993', '[1e999]'],
  },
}

const rules = (texts: typeof en | typeof zh) => texts.parts.entry.rules as { readonly [rule: string]: string }

describe.each(Object.entries(TYPES))('text for a field of the type %s', (type, { right, wrong }) => {
  const field = { type, className: 'Post' }

  it.each(right)('parses %j as %j', (text, value) => {
    expect(parseField(field, text)).toEqual(value)
  })

  it.each(wrong.map((text) => [text]))('rejects %j and names the valid form in both languages', (text) => {
    const read = parseField(field, text)
    expect(read).toBeInstanceOf(Unparsed)
    const { rule } = read as Unparsed
    expect(rules(en)[rule]).toBeTruthy()
    expect(rules(zh)[rule]).toBeTruthy()
  })
})
