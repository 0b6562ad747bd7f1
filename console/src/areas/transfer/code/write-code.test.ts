import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CodedQuery } from './conditions.ts'
import { LANGUAGES } from './languages.ts'
import { curlLine, sdkCode } from './write-code.ts'

const query: CodedQuery = {
  className: 'Post',
  where: {
    status: 'it\'s "new" $x',
    score: { $gte: 3, $lt: 9 },
    author: { __type: 'Pointer', className: '_User', objectId: 'u1' },
    when: { $gt: { __type: 'Date', iso: '2026-01-31T00:00:00.000Z' } },
    cover: { $exists: false },
    tags: { $all: ['a', 'b'] },
  },
  order: '-score,title',
  limit: 20,
}
const code = (name: string, change: Partial<CodedQuery> = {}) =>
  sdkCode(LANGUAGES.find((language) => language.name === name)!, { ...query, ...change })

describe('the code of a query', () => {
  it.each(LANGUAGES.map(({ name }) => name))('%s contains every part of the query', (name) => {
    const written = code(name)!
    for (const part of ['Post', 'status', 'score', 'u1', '2026-01-31', 'cover', 'tags', 'title', '20'])
      expect(written).toContain(part)
  })

  it('follows the JavaScript SDK', () => {
    expect(code('JavaScript')).toBe(`const query = new AV.Query("Post")
query.equalTo("status", "it's \\"new\\" $x")
query.greaterThanOrEqualTo("score", 3)
query.lessThan("score", 9)
query.equalTo("author", AV.Object.createWithoutData("_User", "u1"))
query.greaterThan("when", new Date("2026-01-31T00:00:00.000Z"))
query.doesNotExist("cover")
query.containsAll("tags", ["a", "b"])
query.descending("score")
query.addAscending("title")
query.limit(20)
const objects = await query.find()`)
  })

  it('escapes characters that a language would interpret', () => {
    expect(code('Dart')).toContain('\\$x')
    expect(code('Swift', { where: { a: '\u0001' } })).toContain('\\u{0001}')
  })

  it('creates a query for each branch of an $or', () => {
    const written = code('Python', { where: { $or: [{ a: 1 }, { b: true }], c: null } })
    expect(written).toContain('leancloud.Query.or_(either1, either2)')
    expect(written).toContain('query.equal_to("c", None)')
  })

  it.each([{ a: { $inQuery: {} } }, { $and: [] }, { a: { $not: {} } }, { $relatedTo: {} }])(
    'is omitted when the SDKs have no method: %j',
    (where) => {
      for (const { name } of LANGUAGES) expect(code(name, { where })).toBeNull()
    },
  )

  it('is one shell command that no value can escape', () => {
    const line = curlLine(
      'https://example.org',
      { appId: 'id', appKey: 'key' },
      { ...query, where: { a: "'; rm -rf '" } },
    )
    expect(line).toContain(`--data-urlencode 'where={"a":"'\\''; rm -rf '\\''"}'`)
    expect(line.endsWith("'https://example.org/1.1/classes/Post'")).toBe(true)
  })

  /** Characters that end a literal, are expanded in one, or are executed by a terminal when pasted. */
  const hostile = fc
    .array(
      fc.constantFrom(
        ...["'", '"', '\\', '$x', `\${x}`, '\\(x)', '`id`', '\\u0022', '; id', '\n', '\r', '\t', ' ', '好'],
        ...[
          '\0',
          '\u0003',
          '\u001b[201~',
          '\u007f',
          '\u0085',
          '\u2028',
          '\u2029',
          '\u200b',
          '\u202e',
          '\u2066',
          '\u{e0001}',
        ],
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => parts.join(''))

  it.skipIf(process.platform === 'win32')(
    'is the same query in a shell, without characters that a terminal would run',
    () => {
      const values = fc.sample(hostile, 100)
      const lines = values.map((value) =>
        curlLine(
          'https://example.org',
          { appId: 'id', appKey: "k'$(id)" },
          { className: value, where: { [value]: value }, order: value, limit: 1 },
        ),
      )
      for (const line of lines) expect(line).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u)
      const script = ['curl() { printf "%s\\0" "$@"; }', ...lines].join('\n')
      const written = execFileSync('sh', ['-s'], { input: script, encoding: 'utf8' }).split('\0').slice(0, -1)
      expect(written).toHaveLength(values.length * 12)
      for (const [n, value] of values.entries()) {
        const [, , id, , key, , where, , order, , limit, url] = written.slice(n * 12)
        expect([id, key, limit]).toEqual(['X-LC-Id: id', "X-LC-Key: k'$(id)", 'limit=1'])
        expect(JSON.parse(where!.slice('where='.length))).toEqual({ [value]: value })
        expect(order).toBe(`order=${value.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd')}`)
        expect(url).toBe(`https://example.org/1.1/classes/${encodeURIComponent(value)}`)
      }
    },
  )

  it.each(LANGUAGES)('in $name keeps values in their literals, without invisible characters', ({ name }) => {
    fc.assert(
      fc.property(hostile, (value) => {
        const written = code(name, { className: value, where: { [`f${value}`]: value }, order: value })!
        expect(written).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u)
        const rest = written.replace(/"(?:\\.|[^"\\])*"/g, '')
        expect(rest).toBe(
          code(name, { className: 'a', where: { fa: 'a' }, order: 'a' })!.replace(/"(?:\\.|[^"\\])*"/g, ''),
        )
        const literals = [...written.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, inside]) => inside!)
        for (const inside of literals)
          expect(inside).not.toMatch(name === 'Dart' ? /(?<!\\)(\\\\)*\$/ : /(?<!\\)(\\\\)*\\\(/)
        if (name !== 'Swift' && name !== 'Python')
          expect(
            literals.map((inside) => JSON.parse(`"${inside.replaceAll(name === 'Dart' ? '\\$' : '$', '$')}"`)),
          ).toContain(value)
      }),
    )
  })
})
