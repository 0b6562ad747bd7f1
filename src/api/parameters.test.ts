import { describe, expect, it } from 'vitest'
import type { Parameters } from '../objects/query-parameters.ts'
import { isFromText, MAX_FORM_MEMBERS, parametersOf, parametersOfForm, parametersOfText } from './parameters.ts'

const plain = (parameters: object) => ({ ...parameters })

describe('parsing a query string or form', () => {
  it.each<[text: string, parameters: object]>([
    ['', {}],
    ['a=1&b=x+y%20z', { a: '1', b: 'x y z' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['where=%7B%22name%22%3A%22%E4%B8%AD%22%7D', { where: '{"name":"中"}' }],
    ['a=100%', { a: '100%' }],
    ['__proto__=x', JSON.parse('{"__proto__":"x"}')],
    ['keys[]=a&keys[]=b', { keys: ['a', 'b'] }],
    ['keys%5B%5D=a', { keys: ['a'] }],
    ['keys%5b0%5d=a&keys%5b1%5d=b&n=1', { keys: ['a', 'b'], n: '1' }],
    ['keys=a&keys[]=b&keys[]=c', { keys: ['a', 'b', 'c'] }],
    ['keys[]=a&keys=b', { keys: ['a', 'b'] }],
    ['keys[]=', { keys: [''] }],
    ['[]=a&[0]=b&a[=c&]=d', { '[]': 'a', '[0]': 'b', 'a[': 'c', ']': 'd' }],
    ['where={"a":[1]}', { where: '{"a":[1]}' }],
    ['__proto__[]=x', JSON.parse('{"__proto__":["x"]}')],
    ['constructor[]=x', { constructor: ['x'] }],
  ])('%s', (text, parameters) => {
    expect(plain(parametersOfText(text))).toEqual(parameters)
  })
})

describe('an unescaped + of a phone number', () => {
  const json = (number: string) => `{"mobilePhoneNumber":"${number}"}`
  it.each<[text: string, parameters: object]>([
    ['mobilePhoneNumber=+8613800000001', { mobilePhoneNumber: '+8613800000001' }],
    ['a=b&mobilePhoneNumber=+8613800000001&c=d', { a: 'b', mobilePhoneNumber: '+8613800000001', c: 'd' }],
    ['mobilePhoneNumber=%2B8613800000001', { mobilePhoneNumber: '+8613800000001' }],
    ['username=+8613800000001', { username: '+8613800000001' }],
    [`where=${json('+8613800000001')}`, { where: json('+8613800000001') }],
    [`where=${encodeURIComponent(json('+8613800000001')).replace('%2B', '+')}`, { where: json('+8613800000001') }],
    ['pvalues=["+8613800000001"]', { pvalues: '["+8613800000001"]' }],
    [
      "cql=select+*+from+_User+where+mobilePhoneNumber='+8613800000001'",
      {
        cql: "select * from _User where mobilePhoneNumber='+8613800000001'",
      },
    ],
  ])('is kept in %s', (text, parameters) => {
    expect(plain(parametersOfText(text))).toEqual(parameters)
  })

  it.each<[text: string, parameters: object]>([
    ['mobilePhoneNumber=%208613800000001', { mobilePhoneNumber: ' 8613800000001' }],
    ['password=+8613800000001', { password: ' 8613800000001' }],
    ['q=a+8613800000001', { q: 'a 8613800000001' }],
    ['where={"n":"+123456"}', { where: '{"n":" 123456"}' }],
    ['where={"n":"+8613800000001+b"}', { where: '{"n":" 8613800000001 b"}' }],
  ])('becomes a blank in %s', (text, parameters) => {
    expect(plain(parametersOfText(text))).toEqual(parameters)
  })
})

describe('a name of a member of an object', () => {
  const query = (text: string) => parametersOf(parametersOfText(text), {})

  it.each([
    'where[a]=1',
    'where%5Ba%5D=1',
    'limit=1&where[a][$gt]=1',
    'where[a][]=1',
    '__proto__[a]=1',
    'query[className]=P',
  ])('is rejected in %s, in a URL, in a form and beside a body', (text) => {
    const rejected = expect.objectContaining({ code: 107, message: expect.stringContaining('as JSON text') })
    expect(() => query(text)).toThrow(rejected)
    expect(() => parametersOf({}, parametersOfForm(text))).toThrow(rejected)
    expect(() => parametersOf(parametersOfText(text), { a: 1 })).toThrow(rejected)
  })

  it.each(['a=where[a]', 'where[]=1', '[a]=1', 'where={"a[b]":1}'])('is not found in %s', (text) => {
    expect(() => query(text)).not.toThrow()
  })

  it('is not looked for in JSON', () => {
    expect(parametersOf({}, { 'where[a]': 1 })).toEqual({ 'where[a]': 1 })
  })
})

it('accepts at most a thousand members in a form', () => {
  const form = (members: number) => Array.from({ length: members }, (_, n) => `m${n}=1`).join('&')
  expect(Object.keys(parametersOfForm(form(MAX_FORM_MEMBERS)))).toHaveLength(MAX_FORM_MEMBERS)
  expect(() => parametersOfForm(form(MAX_FORM_MEMBERS + 1))).toThrow(expect.objectContaining({ code: 107 }))
})

describe('whether a parameter is a text because URLs and forms have no other types', () => {
  const url = parametersOfText('it=5')
  it.each<[where: string, parameters: Parameters, expected: boolean]>([
    ['a URL', parametersOf(url, {}), true],
    ['the URL of a request with a body', parametersOf(url, { a: 1 }), true],
    ['a form', parametersOf({}, parametersOfForm('it=5')), true],
    ['a JSON body', parametersOf({}, { it: '5' }), false],
    ['the JSON body of a request with a query string', parametersOf(url, { it: '5' }), false],
    ['a list of a URL', parametersOf(parametersOfText('it=5&it=6'), {}), false],
    ['a request without the parameter', parametersOf({ a: '5' }, {}), false],
  ])('in %s', (_where, parameters, expected) => {
    expect(isFromText(parameters, 'it')).toBe(expected)
  })
})

describe('merged parameters of URL and body', () => {
  it('give precedence to the body', () => {
    expect(parametersOf({ a: '1', b: '2' }, { b: 3, c: 4 })).toEqual({ a: '1', b: 3, c: 4 })
  })

  it.each(['', null, {}, []])('treat %j as no body', (body) => {
    expect(parametersOf({ a: '1' }, body)).toEqual({ a: '1' })
  })

  it.each(['text', 5, true, [1]])('reject the body %j', (body) => {
    expect(() => parametersOf({}, body)).toThrow(expect.objectContaining({ code: 107 }))
  })
})
