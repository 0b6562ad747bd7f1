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
  it.each(LANGUAGES.map(({ name }) => name))('%s has all that the query asks for', (name) => {
    const written = code(name)!
    for (const part of ['Post', 'status', 'score', 'u1', '2026-01-31', 'cover', 'tags', 'title', '20'])
      expect(written).toContain(part)
  })

  it('is written as the SDK for JavaScript has it', () => {
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

  it('escapes what a language would take for an expression', () => {
    expect(code('Dart')).toContain('\\$x')
    expect(code('Swift', { where: { a: '\u0001' } })).toContain('\\u{0001}')
  })

  it('makes a query of each branch of an $or', () => {
    const written = code('Python', { where: { $or: [{ a: 1 }, { b: true }], c: null } })
    expect(written).toContain('leancloud.Query.or_(either1, either2)')
    expect(written).toContain('query.equal_to("c", None)')
  })

  it.each([{ a: { $inQuery: {} } }, { $and: [] }, { a: { $not: {} } }, { $relatedTo: {} }])(
    'is none where SDKs have no method: %j',
    (where) => {
      for (const { name } of LANGUAGES) expect(code(name, { where })).toBeNull()
    },
  )

  it('is a line of a shell that no value can leave', () => {
    const line = curlLine(
      'https://example.org',
      { appId: 'id', appKey: 'key' },
      { ...query, where: { a: "'; rm -rf '" } },
    )
    expect(line).toContain(`--data-urlencode 'where={"a":"'\\''; rm -rf '\\''"}'`)
    expect(line.endsWith("'https://example.org/1.1/classes/Post'")).toBe(true)
  })
})
