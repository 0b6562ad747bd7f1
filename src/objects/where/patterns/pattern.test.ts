import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScratchSchema, type ScratchSchema } from '../../../../test/support/scratch-schema.ts'
import { sql } from '../../../database/sql.ts'
import { ApiError } from '../../../errors.ts'
import { afterPrefix, patternOnText } from '../pattern-sql.ts'
import { compilePattern, foundIn } from './pattern.ts'

let schema: ScratchSchema
beforeAll(async () => {
  schema = await openScratchSchema()
})
afterAll(() => schema?.close())

async function foundInDatabase(source: string, options: string, text: string): Promise<boolean> {
  const field = sql`${text}::text`
  const found = patternOnText(compilePattern(source, options, 'f'), field, field)
  const [row] = await schema.run(sql`SELECT ${found} AS found`)
  return row?.found === true
}

describe('matches the same texts in the database and in memory', () => {
  it.each<[rule: string, source: string, options: string, found: string[], missed: string[]]>([
    ['the search is not anchored', 'b', '', ['b', 'abc'], ['', 'B']],
    ['an empty pattern is found everywhere', '', '', ['', 'a'], []],
    ['\\Q…\\E is literal', '^\\Qa.b*\\E$', '', ['a.b*'], ['axb', 'a.b']],
    ['a literal \\E is written as \\E\\\\E\\Q', '^\\Qa\\E\\\\E\\Qb\\E$', '', ['a\\Eb'], ['ab', 'aEb']],
    ['an unclosed \\Q lasts to the end', 'a\\Q(+', '', ['a(+'], ['a']],
    ['an escaped backslash before Q is no quote', 'a\\\\Qb+', '', ['a\\Qbb'], ['a\\Q']],
    ['a quantifier after \\E repeats the last character', '^\\Qab\\E+$', '', ['abb'], ['abab']],
    ['. matches any character but a newline', 'a.b', '', ['a b', 'a😀b', 'a\rb'], ['a\nb', 'ab']],
    ['. matches a newline with s', 'a.b', 's', ['a\nb'], ['ab']],
    ['^ and $ are the ends of the text', '^b$', '', ['b', 'b\n'], ['a\nb', 'b\n\n', 'b\na']],
    ['finds a text at any position', '\\Qb.%_\\E', '', ['b.%_', 'ab.%_a'], ['bx%_', 'B.%_']],
    ['a text at the end', '\\Qä😀\\E$', '', ['ä😀', 'xä😀\n'], ['ä😀x', 'ä']],
    ['^ and $ are the ends of lines with m', '^b$', 'm', ['b', 'a\nb', 'b\na'], ['ab', 'a\nbc']],
    ['\\A and \\z are the very ends', '\\Ab\\z', 'm', ['b'], ['b\n', 'a\nb']],
    ['\\Z lets a final newline be', 'b\\Z', 'm', ['b', 'b\n'], ['b\na', 'b\n\n']],
    ['\\b is the edge of an ASCII word', '\\bb', '', ['b', 'a b', 'éb', '-b'], ['ab', '_b', '9b']],
    ['\\B is no edge', '\\Bb', '', ['ab'], ['b', ' b']],
    ['[^a] matches a newline', '^[^a]$', '', ['\n', 'b', '😀'], ['a', '']],
    ['classes have ranges and escapes', '^[a-c\\d\\]\\-_]+$', '', ['ab9]-_'], ['d', '\\']],
    ['] is literal at the start of a class', '^[]a]+$', '', [']a'], ['b']],
    ['] is literal after ^ in a class', '^[^]a]$', '', ['b'], [']', 'a']],
    ['- is literal at the edge of a class', '^[-a][a-]$', '', ['-a', 'a-'], ['b']],
    ['[. and [= are characters', '^[[.=]+$', '', ['[.='], ['a']],
    ['[[:name:]]', '^[[:upper:][:^ascii:]x]+$', '', ['AÉx'], ['a']],
    ['[\\b] is a backspace', '^[\\b]$', '', ['\b'], ['b']],
    ['\\d \\w \\s are ASCII', '^\\d\\w\\s$', '', ['1_\v', '9a '], ['١a ', '1é ', '1a\u00a0']],
    ['their negations are the rest', '^\\D\\W\\S$', '', ['aéx', '١-☃'], ['1-x', 'aax', 'a- ']],
    ['sets of all characters', '^[\\s\\S]{3}$', '', ['a\n😀'], ['ab']],
    ['sets of no character', 'a[^\\s\\S]|b', '', ['b'], ['a']],
    ['control escapes', '^\\n\\t\\r\\f\\v\\a\\e$', '', ['\n\t\r\f\v\x07\x1b'], ['ntrf']],
    ['characters by number', '^\\x41\\x{1F600}\\u00e9$', '', ['A😀é'], ['Aé']],
    ['\\0 is found nowhere', 'a\\0', '', [], ['a', 'a0']],
    ['groups and alternatives', '^(a|b(?:c|d))+$', '', ['abcbd'], ['ab', '']],
    ['an alternative may be empty', '^(a|)b$', '', ['ab', 'b'], ['a']],
    ['named groups', '^(?<x>a)(?P<y>b)$', '', ['ab'], ['a']],
    ['quantifiers', '^a*b+c?d{2}e{1,}f{0,2}$', '', ['bdde', 'aabbcddeeff'], ['dde', 'bde', 'bddefff']],
    ['lazy quantifiers find the same', '^a+?b*?$', '', ['a', 'aab'], ['b']],
    ['{ that is no quantifier is itself', '^a{b}{,2}{$', '', ['a{b}{,2}{'], ['a']],
    ['quantifiers of anchors', '^*a\\b+', '', ['a', 'ba'], ['ab', '']],
    ['i ignores case', 'äbc', 'i', ['ÄBC', 'äBc'], ['abc']],
    ['i folds as Unicode does', '^[a-z]ß\\x{3c3}$', 'i', ['Kẞς', '\u212AßΣ'], ['1ßσ']],
    ['i and negation', '^[^a]$', 'i', ['b'], ['a', 'A']],
    ['i leaves the Turkish i alone', 'i', 'i', ['I'], ['ı', 'İ']],
    ['inline flags', '(?i)ab', '', ['AB'], ['a']],
    ['inline flags of a group', '^(?i:a)b(?s-i:.)$', '', ['Ab\n'], ['AB\n']],
    ['inline flags last to the end of their group', '^(a(?i)b)c$', '', ['aBc'], ['aBC', 'ABc']],
    ['x ignores white space and comments', ' a b # c\n +', 'x', ['ab', 'abb'], ['a b', 'a']],
    ['x does not ignore the vertical tab', 'a\vb', 'x', ['a\vb'], ['ab']],
    ['x keeps white space in classes and escaped', 'a[ ]\\ b', 'x', ['a  b'], ['ab', 'a b']],
    ['options combine', '^ a . b $ # x', 'sixm', ['x\nA\nB\ny', 'a b'], ['ab']],
    ['(?#…) is a comment', 'a(?#b)c', '', ['ac'], ['abc']],
    ['*** is no director', '\\*\\*\\*=a', '', ['***=a'], ['a']],
    ['quotes and backslashes', '^\'\\\\"$', '', ['\'\\"'], ["'"]],
    ['other scripts', '^[一-龥]+中$', '', ['国中'], ['中', 'a中']],
  ])('%s', async (_rule, source, options, found, missed) => {
    const pattern = compilePattern(source, options, 'f')
    for (const text of found) {
      expect([text, foundIn(pattern, text)]).toEqual([text, true])
      expect([text, await foundInDatabase(source, options, text)]).toEqual([text, true])
    }
    for (const text of missed) {
      expect([text, foundIn(pattern, text)]).toEqual([text, false])
      expect([text, await foundInDatabase(source, options, text)]).toEqual([text, false])
    }
  })
})

describe('runs some patterns only in the database', () => {
  it.each<[source: string, found: string[], missed: string[]]>([
    ['a(?=b)', ['ab'], ['ac']],
    ['a(?!b)', ['ac'], ['ab']],
    ['(?<=a)b', ['ab'], ['cb']],
    ['(?<!a)b', ['b', 'cb'], ['ab']],
    ['(?=.*\\d)(?=.*[a-z])^.{3}$', ['a1-'], ['abc']],
    ['^(a|b)c\\1$', ['aca', 'bcb'], ['acb']],
    ['^(?=(x))?(a)(b)\\3\\2$', ['abba'], ['abab']],
    ['(a)\\1{2}1', ['aaa1'], ['aa1']],
    ['a$\\n', ['a\n'], ['a', 'ab']],
    ['(?:a$)*b', ['b'], ['a']],
  ])('%s', async (source, found, missed) => {
    expect(compilePattern(source, '', 'f').re2).toBeNull()
    for (const text of found) expect([text, await foundInDatabase(source, '', text)]).toEqual([text, true])
    for (const text of missed) expect([text, await foundInDatabase(source, '', text)]).toEqual([text, false])
  })
})

describe('rejects a pattern', () => {
  it.each<[source: string, reason: RegExp]>([
    ['(a', /'\(' without/],
    ['a)', /'\)' without/],
    ['[a', /'\[' without/],
    ['[]', /'\[' without/],
    ['*a', /nothing to repeat/],
    ['a|+', /nothing to repeat/],
    ['a*+', /possessive/],
    ['a{2,1}', /out of order/],
    ['a{256}', /255 times/],
    ['[b-a]', /out of order/],
    ['[a-\\d]', /ends with a set/],
    ['a\\', /ends too early/],
    ['\\p{L}', /'\\p'/],
    ['\\G', /'\\G'/],
    ['(?>a)', /'\(\?>'/],
    ['(?R)', /'\(\?R'/],
    ['[[:nothing:]]', /unknown/],
    ['\\x{110000}', /not a Unicode character/],
    ['\\ud83d', /not a Unicode character/],
    ['\\1(a)', /no such group precedes it/],
    ['(a\\1)', /no such group precedes it/],
    ['(?=(a))\\1', /no such group precedes it/],
    ['(a)(?=\\1)', /inside a lookaround/],
    ['(?i)(a)\\1', /combined with 'i'/],
    ['(a)\\10', /'\\9' only/],
    ['(?#a', /ends too early/],
    ['a'.repeat(1001), /1000 characters/],
    ['((a{255}){255}){255}', /too large/],
    ['\\b'.repeat(200), /too large/],
    ['(?:a{1,70}){1,70}', /2000 parts/],
    ['(?:a?){250}', /too many optional repetitions/],
    ['(?:a*b*c*d*e*f*g*h*){20}', /too many optional repetitions/],
    ['(?:^{40}a?^\\b+){40}', /or lookarounds/],
    ['(a)(?:\\1b){21}', /refers back to groups more than 20 times/],
    ['(?i)[\\x{1}-\\x{10ffff}]'.repeat(10), /ignores the case of more than/],
    ['('.repeat(101) + ')'.repeat(101), /100 levels/],
  ])('%s', (source, reason) => {
    expect(() => compilePattern(source, '', 'f')).toThrow(
      expect.objectContaining({ code: 102, message: expect.stringMatching(reason) }),
    )
    expect(() => compilePattern(source, '', 'f')).toThrow(/regular expression of 'f'/)
  })
})

describe('accepts the size of common patterns', () => {
  it.each([
    `^\\Q${'ä'.repeat(980)}\\E`,
    '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[@$!%*?&])[A-Za-z\\d@$!%*?&]{8,255}$',
    "^[\\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$",
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
    '^https?://(?:www\\.)?[-\\w@:%.+~#=]{1,255}\\.[a-z0-9()]{1,6}\\b(?:[-\\w()@:%+.~#?&/=]*)$',
    '(?i)^[\\s\\S]{0,255}(?:中文|日本語|한국어)[\\s\\S]{0,255}$',
    Array.from({ length: 30 }, (_, n) => `\\bword${n}\\b`).join('|'),
    `(?:${Array.from({ length: 190 }, (_, n) => `k${n}`).join('|')})+`,
  ])('%s', (source) => {
    for (const options of ['', 'i']) expect(compilePattern(source, options, 'f').source).toBe(source)
  })
})

describe('literal start of a pattern', () => {
  it.each<[source: string, options: string, prefix: { text: string; isEntire: boolean } | null]>([
    ['^\\Qab\\E', '', { text: 'ab', isEntire: true }],
    ['^ab', '', { text: 'ab', isEntire: true }],
    ['\\Aab', 'm', { text: 'ab', isEntire: true }],
    ['^ab$', '', { text: 'ab', isEntire: false }],
    ['^ab.*c', '', { text: 'ab', isEntire: false }],
    ['^ab?', '', { text: 'a', isEntire: false }],
    ['^12', 'i', { text: '12', isEntire: true }],
    ['^ab', 'i', null],
    ['^ab', 'm', null],
    ['^a|b', '', null],
    ['ab', '', null],
    ['^', '', null],
  ])('of %s with %s is %o', (source, options, prefix) => {
    expect(compilePattern(source, options, 'f').prefix).toEqual(prefix)
  })

  it.each([
    ['ab', 'ac'],
    ['a\uD7FF', 'a\uE000'],
    ['a\uFFFF', 'a\u{10000}'],
    ['a\u{10FFFF}\u{10FFFF}', 'b'],
    ['\u{10FFFF}', null],
  ])('ends the texts that begin with %o before %o', (prefix, end) => {
    expect(afterPrefix(prefix)).toBe(end)
  })
})

describe('hostile pattern', () => {
  const HOSTILE = [
    '(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*a){20}b',
    '(a*)*b',
    '(?:a?){90}a{90}b',
    '([^b]*[^c]*)*d$',
    '((a{1,30}){1,30})b',
  ]

  it.each(HOSTILE)('%s does not block the process', (source) => {
    const pattern = compilePattern(source, 'i', 'f')
    // Measures processor time, which is independent of other load.
    const before = process.cpuUsage()
    foundIn(pattern, `${'a'.repeat(50_000)}!`)
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(5_000_000)
  })

  it.each([...HOSTILE, '^(a+)+\\1$', '(a*)(a*)(a*)(a*)(a*)\\5\\4\\3\\2\\1b$', '(?=(a+)+$)(?<!b)c'])(
    '%s is bounded by the statement timeout',
    async (source) => {
      const { postgres } = compilePattern(source, '', 'f')
      await schema.run(sql`SET statement_timeout = '300ms'`)
      const started = performance.now()
      await schema
        .run(sql`SELECT (repeat('a', 20000) || '!') ~ ${postgres}::text AS found`)
        .catch((error: { code?: string }) => expect(error.code).toBe('57014'))
      await schema.run(sql`RESET statement_timeout`)
      // Without the timeout it would never finish.
      expect(performance.now() - started).toBeLessThan(20_000)
    },
  )

  it('is rejected with an ApiError when only the database could run it', () => {
    expect(() => foundIn(compilePattern('(?=a)', '', 'f'), 'a')).toThrow(ApiError)
  })
})
