import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'

const app = await makeSdkApp()
const author = await save('Author', { name: 'ann', city: 'Paris' })
const other = await save('Author', { name: 'bob', city: 'Rome' })
for (const n of [1, 2, 3, 4, 5])
  await save('Post', {
    title: `post ${n}`,
    n,
    at: new Date(n * 1000),
    tags: n % 2 ? ['odd', 'a'] : ['even'],
    author: n < 3 ? author : other,
    place: new AV.GeoPoint(0, n),
    ...(n === 5 && { last: true }),
  })

/** The result of the SDK; its type declarations differ. */
interface Answer {
  readonly results: readonly AV.Object[]
  readonly className: string
  readonly count?: number
}

const query = async (cql: string, values: readonly unknown[] = []) =>
  (await AV.Query.doCloudQuery(cql, values as never)) as unknown as Answer
const find = async (cql: string, values: readonly unknown[]) =>
  (await query(cql, values)).results.map((post) => post.get('n') as number)

describe('AV.Query.doCloudQuery', () => {
  it.each<[string, unknown[], number[]]>([
    ['select * from Post where n > ? order by n', [3], [4, 5]],
    ['select * from Post where n > 1 and n < 4 order by n desc', [], [3, 2]],
    ['select * from Post where (n = 1 or n = 5) and last is exists', [], [5]],
    ['select * from Post where last is null order by n limit 1, 2', [], [2, 3]],
    ["select * from Post where title like '%_4'", [], [4]],
    ["select * from Post where title not like 'post%'", [], []],
    ["select * from Post where title regexp '[12]$' order by n", [], [1, 2]],
    ["select * from Post where title not regexp '[12]$' order by n", [], [3, 4, 5]],
    ['select * from Post order by n desc limit ?', [2], [5, 4]],
    ['select * from Post order by author,-n,title asc limit ?, 3', [1], [1, 5, 4]],
    ['select * from Post order by last, +n desc limit 3', [], [5, 1, 2]],
    ['select * from Post where n in (1, 9)', [], [1]],
    ['select * from Post where n not in ? order by n', [[1, 2, 3]], [4, 5]],
    ["select * from Post where tags = 'even' order by n", [], [2, 4]],
    ["select * from Post where tags all ('a', 'odd') order by n", [], [1, 3, 5]],
    ['select * from Post where size(tags) = 1 order by n', [], [2, 4]],
    ['select * from Post where at < current_timestamp() and n < 3 order by n', [], [1, 2]],
    ['select * from Post where at < ? order by n', [new Date(2500)], [1, 2]],
    ["select * from Post where at >= date('1970-01-01T00:00:04.000Z') order by n", [], [4, 5]],
    [`select * from Post where author = pointer('Author', '${author.id}') order by n`, [], [1, 2]],
    [
      'select * from Post where author = ? order by n',
      [{ __type: 'Pointer', className: 'Author', objectId: author.id }],
      [1, 2],
    ],
    ["select * from Post where author in (select * from Author where city = 'Rome') order by n", [], [3, 4, 5]],
    ['select * from Post where title in (select name from Author)', [], []],
    ['select * from Post where title = (select title from Post where n > 3) order by n', [], [4, 5]],
    ['select * from Post where title != (select title from Post where n > 3) order by n', [], [1, 2, 3]],
    ['select * from Post where place near [3, 0] max 150 km', [], [3, 2, 4]],
    ['select * from Post where place near [2.9, 0] min 50 km max 150 km', [], [2, 4]],
    ['select * from Post where place near geopoint(5, 0) max 0.02', [], [5, 4]],
    ['select * from Post where place within geopoint(1.5, -1) and geopoint(3.5, 1) order by n', [], [2, 3]],
  ])('%s', async (cql, values, expected) => {
    const found = await find(cql, values)
    // The last two have the same distance.
    expect(cql.includes('near') ? [found[0], ...found.slice(1).sort()] : found).toEqual(expected)
  })

  it('returns objects of their class, with the requested fields and pointers', async () => {
    const { results, className } = await query('select include author, title from Post where n = 1')
    expect(className).toBe('Post')
    const [post] = results
    expect(post!.className).toBe('Post')
    expect(post!.get('title')).toBe('post 1')
    expect(post!.get('n')).toBeUndefined()
    const whole = await query('select include author, * from Post where n = 1')
    expect(whole.results[0]!.get('author').get('name')).toBe('ann')
  })

  it('counts', async () => {
    const { results, count } = await query('select count(*), * from Post where n > 1 limit 2')
    expect([results.length, count]).toEqual([2, 4])
    const counted = await query('select count(*) from Post')
    expect([counted.results, counted.count]).toEqual([[], 5])
  })

  it('obeys the same permissions as any query', async () => {
    const acl = new AV.ACL()
    const secret = new AV.Object('Secret')
    secret.setACL(acl)
    await secret.save(null, { useMasterKey: true })
    expect((await query('select * from Secret')).results).toEqual([])
    expect((await query('select count(*) from Secret')).count).toBe(0)
  })

  it.each([
    ['select * from Post where', 300, 'CQL syntax error.Detail: Parse error at line 1, column 25'],
    ['drop table Post', 300, "expected 'select', 'insert', 'update' or 'delete'"],
    ['select * from Nowhere', 101, 'Nowhere'],
    ['select * from 5', 300, 'expected the name of a class'],
    ["select * from Post where title > pointer('A', 'b')", 102, 'title'],
  ])('rejects %s', async (cql, code, text) => {
    await expect(query(cql)).rejects.toMatchObject({ code, rawMessage: expect.stringContaining(text) })
  })

  it('rejects a missing text', async () => {
    const { status, body } = await app.request('GET', '/1.1/cloudQuery')
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 300, error: "CQL syntax error.Detail: The parameter 'cql', the statement, is missing." },
    })
  })
})
