import { describe, expect, it } from 'vitest'
import { parseQuery } from './parse.ts'
import type { Query } from './tree.ts'

/** The tree in a short form: + must, - must not, no sign should. */
function show(query: Query): string {
  const boost = 'boost' in query && query.boost !== 1 ? `^${query.boost}` : ''
  const field = 'field' in query && query.field !== null ? `${query.field}:` : ''
  switch (query.kind) {
    case 'clauses':
      return `(${[...query.must.map((q) => `+${show(q)}`), ...query.should.map(show), ...query.mustNot.map((q) => `-${show(q)}`)].join(' ')})`
    case 'text':
      return `${field}${query.text}${boost}`
    case 'fuzzy':
      return `${field}${query.text}~${boost}`
    case 'phrase':
      return `${field}"${query.text}"${query.near ? '~' : ''}${boost}`
    case 'wildcard':
      return `${field}${query.parts.map((part, index) => part + (query.signs[index] ?? '')).join('')}${boost}`
    case 'range':
      return `${field}${query.from?.inclusive === false ? '{' : '['}${query.from?.value ?? '*'}..${query.to?.value ?? '*'}${query.to?.inclusive === false ? '}' : ']'}`
    case 'exists':
      return `${field}exists`
    case 'everything':
      return 'everything'
  }
}

describe('query strings', () => {
  it.each([
    ['a', 'a'],
    ['a b', '(a b)'],
    ['a AND b', '(+a +b)'],
    ['a AND b OR c', '(+a +b c)'],
    ['a OR b AND NOT c', '(+b a -c)'],
    ['a && b || !c', '(+a +b -c)'],
    ['+a -b c', '(+a c -b)'],
    ['NOT a', '(-a)'],
    ['title:(a OR b)^2 c', '((title:a^2 title:b^2) c)'],
    ['title:"hello world"~3^2', 'title:"hello world"~^2'],
    ['"a \\" b"', '"a " b"'],
    ['n:[1 TO 5]', 'n:[1..5]'],
    ['n:{1 TO *]', 'n:{1..*]'],
    ['n:[* TO 5}', 'n:[*..5}'],
    ['n:>5', 'n:{5..*]'],
    ['n:<=-5', 'n:[*..-5]'],
    ['d:["2012-01-01T00:00:00Z" TO 2013-01-01]', 'd:[2012-01-01T00:00:00Z..2013-01-01]'],
    ['roam~ roam~2^3', '(roam~ roam~^3)'],
    ['te?t* 北京*', '(te?t* 北京*)'],
    ['foo\\:bar', 'foo:bar'],
    ['*', 'everything'],
    ['*:*', 'everything'],
    ['title:*', 'title:exists'],
    ['_exists_:title', 'title:exists'],
    ['_missing_:title', '(-title:exists)'],
    ['ORANGE ANDROID', '(ORANGE ANDROID)'],
    ['C++ a-b', '(C++ a-b)'],
    ['你好，世界', '你好，世界'],
  ])('%s', (text, tree) => {
    expect(show(parseQuery(text))).toBe(tree)
  })

  it.each([
    '',
    '(',
    ')',
    '(a',
    'a)',
    '"abc',
    'a:b:c',
    'a^',
    'a^x',
    '/re/',
    'AND',
    'a OR',
    'AND a',
    '[1 TO 5]',
    '>5',
    'n:[1 5]',
    'n:[1 TO 5',
    '+',
    'a\\',
    '()',
    'n:[',
    '~',
    '^2',
    '{',
  ])('rejects %s with the reason', (text) => {
    expect(() => parseQuery(text)).toThrow(
      expect.objectContaining({ code: 102, message: expect.stringContaining("'q'") }),
    )
  })

  it('limits length, depth and number of terms', () => {
    const refused = expect.objectContaining({ code: 102 })
    expect(() => parseQuery('a'.repeat(2001))).toThrow(refused)
    expect(() => parseQuery(`${'('.repeat(21)}a${')'.repeat(21)}`)).toThrow(refused)
    expect(() => parseQuery('a '.repeat(65))).toThrow(refused)
    expect(show(parseQuery(`${'('.repeat(20)}a${')'.repeat(20)}`))).toBe('a')
  })
})
