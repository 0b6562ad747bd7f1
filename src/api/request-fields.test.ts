import { describe, expect, it } from 'vitest'
import type { Json } from '../values/json.ts'
import { asTextual, parametersOf } from './parameters.ts'
import {
  clientsIn,
  fieldsOf,
  flagIn,
  numberIn,
  requiredClient,
  requiredClients,
  requiredText,
  requiredTime,
  textIn,
  typedFields,
} from './request-fields.ts'

const refusal = (error: string) => expect.objectContaining({ code: 1, status: 400, message: error })

describe('absent parameters', () => {
  it.each([{}, { it: null }, Object.create({ it: 'inherited' })])('are undefined, false or empty in %j', (fields) => {
    expect(textIn(fields, 'it')).toBeUndefined()
    expect(numberIn(fields, 'it')).toBeUndefined()
    expect(flagIn(fields, 'it')).toBe(false)
    expect(clientsIn(fields, 'it')).toEqual([])
  })

  it.each([
    [requiredText, "'it' is missing; it must be a text that is not empty."],
    [requiredClient, "'it' is missing; it must be a text that is not empty."],
    [requiredClients, "'it' is missing; it must be a list of client ids."],
    [requiredTime, "'it' is missing; it must be a time in milliseconds."],
  ] as const)('are rejected if they are required', (read, error) => {
    expect(() => read({}, 'it')).toThrow(refusal(error))
  })
})

describe('valid values', () => {
  it.each([
    [true, true],
    ['true', true],
    [1, true],
    ['1', true],
    [false, false],
    ['false', false],
    [0, false],
    ['0', false],
  ])('%j is the flag %s', (it_, flag) => {
    expect(flagIn({ it: it_ }, 'it')).toBe(flag)
  })

  it.each([
    [7, 7],
    ['7', 7],
    [0, 0],
    ['', undefined],
    [9_007_199_254_740_991, 9_007_199_254_740_991],
  ])('%j is the number %s', (it_, number) => {
    expect(numberIn({ it: it_ }, 'it')).toBe(number)
  })
})

describe('invalid values are rejected with what they must be', () => {
  it.each([
    [textIn, 5, "'it' must be a text, unlike 5."],
    [requiredText, '', "'it' is missing; it must be a text that is not empty."],
    [requiredClient, 'x'.repeat(65), /^'it' must be a client id of 1 to 64 characters, unlike "x/],
    [flagIn, 'yes', '\'it\' must be true or false, unlike "yes".'],
    [flagIn, {}, "'it' must be true or false, unlike {}."],
    [numberIn, 'x', '\'it\' must be a whole number of 0 or more, unlike "x".'],
    [numberIn, -1, "'it' must be a whole number of 0 or more, unlike -1."],
    [numberIn, 1.5, "'it' must be a whole number of 0 or more, unlike 1.5."],
    [numberIn, '1e3', '\'it\' must be a whole number of 0 or more, unlike "1e3".'],
    [numberIn, 2 ** 53, "'it' must be a whole number of 0 or more, unlike 9007199254740992."],
    [clientsIn, 'ann', '\'it\' must be a list of client ids, unlike "ann".'],
    [clientsIn, ['ann', 5], '\'it\' must be a list of client ids, unlike ["ann",5].'],
    [clientsIn, [''], '\'it\' must be a list of client ids, unlike [""].'],
    [requiredClients, [], "'it' is missing; it must be a list of client ids."],
    [clientsIn, Array.from({ length: 1001 }, String), "'it' must contain at most 1000 clients; it contains 1001."],
  ] as [(fields: { it: Json }, name: string) => unknown, Json, string | RegExp][])('%o %j', (read, value, error) => {
    const message = typeof error === 'string' ? error : expect.stringMatching(error)
    expect(() => read({ it: value }, 'it')).toThrow(expect.objectContaining({ code: 1, message }))
  })

  it('applies a smaller maximum to a list', () => {
    expect(() => clientsIn({ it: ['a', 'b'] }, 'it', 1)).toThrow(refusal("'it' must contain at most 1 clients; it contains 2."))
  })
})

describe('clients are read from a list, its JSON text, or a single client', () => {
  it.each<[Json, string[]]>([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['["a","b"]', ['a', 'b']],
    ['a', ['a']],
    ['a,b', ['a,b']],
  ])('%j: %j', (client_ids, expected) => {
    expect(requiredClients(asTextual({ client_ids }), 'client_ids')).toEqual(expected)
  })

  it('except a single client in a JSON body', () => {
    const fields = parametersOf({}, { client_ids: 'ann' })
    expect(() => requiredClients(fields, 'client_ids')).toThrow(
      refusal('\'client_ids\' must be a list of client ids, unlike "ann".'),
    )
  })

  it('rejects a list that is not valid JSON', () => {
    const broken = () => requiredClients(asTextual({ client_ids: '["a"' }), 'client_ids')
    expect(broken).toThrow(expect.objectContaining({ code: 107, message: expect.stringContaining("'client_ids'") }))
  })
})

describe('texts are parsed as the expected type', () => {
  const types = { it: 'json', list: 'list', number: 'number', flag: 'flag' } as const

  it.each<[name: keyof typeof types, text: string, value: Json]>([
    ['it', '{"a":[1]}', { a: [1] }],
    ['it', ' ["a"]', ['a']],
    ['it', 'text', 'text'],
    ['it', '', ''],
    ['list', '["a"]', ['a']],
    ['list', 'a', ['a']],
    ['list', '', ''],
    ['number', '5', 5],
    ['number', '-0.5', -0.5],
    ['number', 'five', 'five'],
    ['number', '', ''],
    ['number', '1e999', '1e999'],
    ['flag', 'true', true],
    ['flag', '1', true],
    ['flag', 'false', false],
    ['flag', '0', false],
    ['flag', 'yes', 'yes'],
  ])('%s %j: %j', (name, text, value) => {
    expect(typedFields(asTextual({ [name]: text }), types)).toEqual({ [name]: value })
  })

  it('leaves values that are no texts, or have no type, unchanged', () => {
    const given = { it: 5, list: [1], number: true, other: '5', constructor: '{}' }
    expect(typedFields(asTextual(given), types)).toEqual(given)
    expect(typedFields({ it: '{}', number: '5' }, types)).toEqual({ it: '{}', number: '5' })
  })

  it('treats a member named __proto__ like any other', () => {
    const fields = typedFields(asTextual(JSON.parse('{"__proto__":"1"}')), types)
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(Object.keys(fields)).toEqual(['__proto__'])
  })
})

it('accepts only a JSON object as a body', () => {
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 })
  for (const body of [[], 'x', 5, null]) expect(() => fieldsOf(body)).toThrow(expect.objectContaining({ code: 107 }))
})
