import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { indexed, makeSearched } from '../support/search.ts'

const app = await makeApp()

async function add(name: string, fields: object): Promise<string> {
  const { body } = await app.request('POST', `/1.1/classes/${name}`, { body: fields })
  return body.objectId as string
}

interface Options {
  readonly master?: boolean
  readonly session?: string
}

async function search(query: Record<string, string>, options: Options = {}) {
  const { status, body } = await app.request('GET', '/1.1/search/select', { query, ...options })
  return { status, ...body }
}

async function titles(
  name: string,
  q: string,
  query: Record<string, string> = {},
  options: Options = {},
): Promise<string[]> {
  const { results, ...rest } = await search({ clazz: name, q, ...query }, options)
  expect(rest).toMatchObject({ status: 200 })
  return results.map(({ title }: { title: string }) => title)
}

beforeAll(async () => {
  await makeSearched(app, 'Song', {
    title: 'String',
    words: 'String',
    year: 'Number',
    tags: 'Array',
    live: 'Boolean',
    on: 'Date',
  })
  await add('Song', {
    title: 'Yesterday',
    words: 'all my troubles seemed so far away',
    year: 1965,
    tags: ['slow', 'guitar'],
    live: false,
  })
  await add('Song', {
    title: 'Tomorrow',
    words: 'the sun will come out tomorrow, troubles or not',
    year: 1977,
    live: true,
  })
  await add('Song', {
    title: '月亮代表我的心',
    words: '你问我爱你有多深，我爱你有几分',
    year: 1972,
    tags: ['慢'],
    on: { __type: 'Date', iso: '2012-03-04T00:00:00.000Z' },
  })
  await add('Song', { title: '北京大学生', words: '在 Beijing 唱歌', secretly: 'hush' })
  await indexed(app)
})

describe('a search', () => {
  it.each([
    ['yesterday', ['Yesterday']],
    ['TROUBLES', ['Tomorrow', 'Yesterday']],
    ['title:troubles', []],
    ['"troubles seemed"', ['Yesterday']],
    ['"seemed troubles"', []],
    ['"seemed troubles"~', ['Yesterday']],
    ['troubles AND sun', ['Tomorrow']],
    ['troubles -sun', ['Yesterday']],
    ['+troubles +away', ['Yesterday']],
    ['sun away', ['Tomorrow', 'Yesterday']],
    ['tomor*', ['Tomorrow']],
    ['tom?rrow', ['Tomorrow']],
    ['t*w', ['Tomorrow']],
    ['yesteday~', ['Yesterday']],
    ['yestreday~', ['Yesterday']],
    ['月亮', ['月亮代表我的心']],
    ['大学', ['北京大学生']],
    ['北京大学生', ['北京大学生']],
    ['京', []],
    ['beijing 唱歌', ['北京大学生']],
    ['爱你', ['月亮代表我的心']],
    ['year:1965', ['Yesterday']],
    ['year:[1970 TO 1980]', ['Tomorrow', '月亮代表我的心']],
    ['year:{1972 TO *]', ['Tomorrow']],
    ['year:<=1965', ['Yesterday']],
    ['1965', ['Yesterday']],
    ['live:true', ['Tomorrow']],
    ['tags:guitar', ['Yesterday']],
    ['on:[2012-01-01 TO 2012-12-31]', ['月亮代表我的心']],
    ['_exists_:tags', ['Yesterday', '月亮代表我的心']],
    ['NOT year:*', ['北京大学生']],
    ['*', ['Tomorrow', 'Yesterday', '北京大学生', '月亮代表我的心']],
    ['(sun OR away) AND year:[1970 TO *]', ['Tomorrow']],
    ['title:(yesterday tomorrow)', ['Tomorrow', 'Yesterday']],
    ['!!!', []],
    ['createdAt:[2000-01-01 TO *] AND yesterday', ['Yesterday']],
  ])('for %s finds %j', async (q, expected) => {
    expect((await titles('Song', q)).sort()).toEqual(expected)
  })

  it('returns the selected fields, and the members a search adds', async () => {
    const { results, hits, sid } = await search({ q: '北京', clazz: 'Song', highlights: '*' })
    expect(hits).toBe(1)
    expect(sid).toBeTypeOf('string')
    const { objectId, createdAt, updatedAt, ...rest } = results[0]
    expect([objectId, createdAt, updatedAt].every((text) => typeof text === 'string')).toBe(true)
    expect(rest).toEqual({
      title: '北京大学生',
      words: '在 Beijing 唱歌',
      className: 'Song',
      _app_url: null,
      _deeplink: null,
      _highlight: { title: ['<em>北京</em>大学生'] },
    })
  })
})

describe('an order', () => {
  const years = async (query: Record<string, string>) =>
    (await search({ q: '*', clazz: 'Song', ...query })).results.map(({ year }: { year?: number }) => year ?? null)

  it.each([
    [{ order: 'year' }, [1965, 1972, 1977, null]],
    [{ order: '-year' }, [1977, 1972, 1965, null]],
    [{ sort: '[{"year":{"order":"desc","missing":"_first"}}]' }, [null, 1977, 1972, 1965]],
    [{ sort: '[{"live":{"order":"desc"}},{"year":"asc"}]' }, [1977, 1965, 1972, null]],
  ])('%j', async (query, expected) => {
    expect(await years(query as Record<string, string>)).toEqual(expected)
  })

  it('by a list of numbers follows the mode', async () => {
    await makeSearched(app, 'Scores', { all: 'Array', name: 'String' })
    await add('Scores', { name: 'steady', all: [5, 5, 5] })
    await add('Scores', { name: 'mixed', all: [1, 9, 'x'] })
    await add('Scores', { name: 'low', all: [2, 3] })
    await add('Scores', { name: 'none', all: [] })
    await indexed(app)
    const by = async (mode: string) => {
      const sort = JSON.stringify([{ all: { order: 'asc', mode } }, 'name'])
      return (await search({ q: '*', clazz: 'Scores', sort })).results.map(({ name }: { name: string }) => name)
    }
    expect(await by('min')).toEqual(['mixed', 'low', 'steady', 'none'])
    expect(await by('max')).toEqual(['low', 'steady', 'mixed', 'none'])
    expect(await by('avg')).toEqual(['low', 'mixed', 'steady', 'none'])
    expect(await by('sum')).toEqual(['low', 'mixed', 'steady', 'none'])
  })

  it('by distance returns the nearest first', async () => {
    await makeSearched(app, 'City', { name: 'String', place: 'GeoPoint' })
    const cities = {
      Beijing: [39.9, 116.4],
      Shanghai: [31.2, 121.5],
      Sydney: [-33.9, 151.2],
      Auckland: [-36.8, 174.8],
      Apia: [-13.8, -171.8],
    }
    for (const [name, [latitude, longitude]] of Object.entries(cities))
      await add('City', { name, place: { __type: 'GeoPoint', latitude, longitude } })
    await add('City', { name: 'Atlantis' })
    await indexed(app)
    const from = async (place: unknown, order = 'asc') => {
      const sort = JSON.stringify([{ _geo_distance: { place, order, unit: 'km', mode: 'avg' } }])
      return (await search({ q: '*', clazz: 'City', sort })).results.map(({ name }: { name: string }) => name)
    }
    expect(await from({ lat: 30, lon: 120 })).toEqual(['Shanghai', 'Beijing', 'Sydney', 'Apia', 'Auckland', 'Atlantis'])
    // Across the 180th meridian.
    expect(await from('-20,-175')).toEqual(['Apia', 'Auckland', 'Sydney', 'Shanghai', 'Beijing', 'Atlantis'])
    expect((await from([120, 30], 'desc')).slice(0, 2)).toEqual(['Auckland', 'Apia'])
  })

  it('by relevance prefers rare words, boosted fields, and higher frequency in shorter texts', async () => {
    await makeSearched(app, 'Note', { text: 'String' })
    for (const text of [
      'apple pie',
      'apple tart',
      'apple cake',
      'apple juice',
      'quince jelly',
      'apple apple apple',
      'pear and many other words that say nothing of it',
      'pear',
    ])
      await add('Note', { text })
    await indexed(app)
    const found = async (q: string) =>
      (await search({ q, clazz: 'Note' })).results.map(({ text }: { text: string }) => text)
    expect((await found('apple quince'))[0]).toBe('quince jelly')
    expect((await found('apple^50 quince')).at(-1)).toBe('quince jelly')
    expect((await found('apple'))[0]).toBe('apple apple apple')
    expect(await found('pear')).toEqual(['pear', 'pear and many other words that say nothing of it'])
  })
})

describe('pages', () => {
  beforeAll(async () => {
    await makeSearched(app, 'Page', { text: 'String', number: 'Number', word: 'String' })
    const requests = Array.from({ length: 60 }, (_, number) => ({
      method: 'POST',
      path: '/1.1/classes/Page',
      body: {
        text: number % 3 === 0 ? 'leaf leaf twig' : 'leaf',
        number: number % 7,
        word: ['x', 'y', null][number % 3],
      },
    }))
    await app.request('POST', '/1.1/batch', { body: { requests } })
    await indexed(app)
  })

  it.each([
    [{}],
    [{ order: 'number' }],
    [{ order: '-number' }],
    [{ order: 'word,-number' }],
    [{ sort: '[{"word":{"order":"desc","missing":"_first"}},{"_score":{}}]' }],
    [{ order: 'createdAt' }],
  ])('in the order %j together form the whole result', async (order) => {
    const query = { clazz: 'Page', q: 'leaf twig', ...order } as Record<string, string>
    const whole = await search({ ...query, limit: '1000' })
    expect(whole.hits).toBe(60)
    const ids = (results: { objectId: string }[]) => results.map(({ objectId }) => objectId)
    const collected: string[] = []
    for (let sid: string | null = ''; sid !== null; ) {
      const page: { results: { objectId: string }[]; sid: string | null; hits: number } = await search({
        ...query,
        limit: '7',
        sid,
      })
      expect(page.hits).toBe(60)
      collected.push(...ids(page.results))
      sid = page.sid
    }
    expect(collected).toEqual(ids(whole.results))
    const skipped = await search({ ...query, limit: '10', skip: '20' })
    expect(ids(skipped.results)).toEqual(ids(whole.results).slice(20, 30))
  })

  it('neither repeat nor skip remaining objects during writes', async () => {
    const query = { clazz: 'Page', q: 'leaf twig', limit: '10' }
    const before = await search({ ...query, limit: '1000' })
    const collected: string[] = []
    for (let sid: string | null = ''; sid !== null; ) {
      const page: { results: { objectId: string }[]; sid: string | null } = await search({ ...query, sid })
      collected.push(...page.results.map(({ objectId }) => objectId))
      sid = page.sid
      // They change the word weights.
      for (let n = 0; n < 5; n++) await add('Page', { text: 'leaf twig twig' })
      await indexed(app)
    }
    expect(collected).toEqual(before.results.map(({ objectId }: { objectId: string }) => objectId))
  })

  it('are bound to their search', async () => {
    const { sid } = await search({ clazz: 'Page', q: 'leaf', limit: '3' })
    for (const other of [{ q: 'twig' }, { q: 'leaf', order: 'number' }, { q: 'leaf', clazz: '' }])
      expect(await search({ clazz: 'Page', sid, ...other } as Record<string, string>)).toMatchObject({
        status: 400,
        code: 102,
      })
    const content = JSON.parse(Buffer.from(sid, 'base64url').toString())
    const forged = (change: object) => Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url')
    for (const wrong of [
      'x',
      'e30',
      forged({ until: 1 }),
      forged({ values: ['{}'] }),
      forged({ values: ['"\\ud800"'] }),
      forged({ weights: ['1'] }),
      forged({ id: 7 }),
      'A'.repeat(10_000),
    ])
      expect(await search({ clazz: 'Page', q: 'leaf', sid: wrong })).toMatchObject({ code: 102 })
    // A sid of another order starts a new search.
    expect(
      await search({ clazz: 'Page', q: 'leaf', sid: forged({ values: ['"text"'], id: "'; --", newest: 'zzz' }) }),
    ).toMatchObject({ status: 200 })
  })
})

describe('results', () => {
  it('contain expanded pointers and the requested fields', async () => {
    await makeSearched(app, 'Reply', { text: 'String', to: { type: 'Pointer', className: 'Song' }, other: 'String' })
    const song = (await search({ q: 'yesterday', clazz: 'Song' })).results[0].objectId
    await add('Reply', {
      text: 'lovely',
      other: 'kept back',
      to: { __type: 'Pointer', className: 'Song', objectId: song },
    })
    await indexed(app)
    const [found] = (await search({ q: 'lovely', clazz: 'Reply', fields: 'text', include: 'to' })).results
    expect(found).toMatchObject({ text: 'lovely', to: { className: 'Song', title: 'Yesterday' } })
    expect(found).not.toHaveProperty('other')
    expect((await search({ q: `to:${song}`, clazz: 'Reply' })).hits).toBe(1)
  })

  it('contain links by the settings of the app', async () => {
    await app.admin('PATCH', '/settings', { search: { appUrl: 'https://blog.example', deepLink: 'blog://open' } })
    const [found] = (await search({ q: 'yesterday', clazz: 'Song' })).results
    await app.admin('PATCH', '/settings', { search: null })
    expect(found).toMatchObject({
      _app_url: `https://blog.example/classes/Song/${found.objectId}`,
      _deeplink: `blog://open/classes/Song/${found.objectId}`,
    })
  })

  it('of all searchable classes are merged in one order', async () => {
    await makeSearched(app, 'Plant', { name: 'String' })
    await makeSearched(app, 'Tool', { label: 'String' })
    await add('Plant', { name: 'rake' })
    await add('Tool', { label: 'rake, spade and fork' })
    await add('Plant', { name: 'rake and much else that is of no interest here' })
    await indexed(app)
    const { results, hits } = await search({ q: 'rake' })
    expect(hits).toBe(3)
    expect(results.map(({ className }: { className: string }) => className)).toEqual(['Plant', 'Tool', 'Plant'])
  })
})

describe('hostile queries', () => {
  it.each([
    ["'; DROP TABLE x; --", 200],
    ["title:'\\\\' | !", 400],
    ["it's & a | b <-> c:*", 400],
    ['\\\\\\\\', 200],
    ['%_\\%', 200],
    [`a${'b'.repeat(1900)}`, 200],
    [`${'('.repeat(1000)}a`, 400],
    [Array.from({ length: 60 }, () => 'aaaaaaaaaaaaaaaaaaaa~').join(' '), 400],
    [`a*${'b*'.repeat(500)}`, 200],
    ['*a', 400],
    ['nothing:x', 400],
    ['objectId:x', 200],
    ['year:abc', 200],
    ['on:[yesterday TO tomorrow]', 200],
    ['year:[9e999 TO *]', 200],
    ['title:>"\u0001"', 200],
    ['\ud800', 200],
    ['a'.repeat(2001), 400],
    ['', 400],
  ])('%#: %s gets %d', async (q, status) => {
    const { status: actual, code } = await search({ q, clazz: 'Song' })
    expect(actual).toBe(status)
    if (status === 400) expect(code).toBe(102)
  })

  it.each([
    [{ sort: '[{"a":{"order":"up"}}]' }],
    [{ sort: '[{"a":{"mode":"median"}}]' }],
    [{ sort: '[{"a":{"missing":"5"}}]' }],
    [{ sort: '[{"a b":"asc"}]' }],
    [{ sort: '[{"_geo_distance":{"place":{"lat":100,"lon":0}}}]' }],
    [{ sort: '[{"_geo_distance":{}}]' }],
    [{ sort: 'a,b,c' }],
    [{ sort: '7' }],
    [{ order: 'a,b,c,d,e,f' }],
    [{ skip: '-1' }],
    [{ fields: 'a b' }],
    [{ clazz: 'Nowhere' }],
    [{ clazz: 'a-b' }],
  ])('rejects %j', async (query) => {
    expect((await search({ q: 'x', clazz: 'Song', ...query } as Record<string, string>)).status).toBeGreaterThanOrEqual(
      400,
    )
  })

  it('can contain several fuzzy words', async () => {
    const q = Array.from({ length: 4 }, () => 'title:abcdefghijklmno~').join(' ')
    expect(await search({ q, clazz: 'Song' })).toMatchObject({ status: 200, hits: 0 })
  })
})

describe('analyze', () => {
  it('shows the tokens of a text to the master key', async () => {
    const query = { text: 'Hello 大学生 42', clazz: 'Song' }
    const { body } = await app.request('GET', '/1.1/search/analyze', { query, master: true })
    expect(body.tokens).toEqual([
      { token: 'hello', start_offset: 0, end_offset: 5, type: '<ALPHANUM>', position: 0 },
      { token: '大学生', start_offset: 6, end_offset: 9, type: '<IDEOGRAPHIC>', position: 1 },
      { token: '大学', start_offset: 6, end_offset: 8, type: '<IDEOGRAPHIC>', position: 1 },
      { token: '学生', start_offset: 7, end_offset: 9, type: '<IDEOGRAPHIC>', position: 1 },
      { token: '42', start_offset: 10, end_offset: 12, type: '<NUM>', position: 2 },
    ])
    expect((await app.request('GET', '/1.1/search/analyze', { query })).status).toBe(401)
    expect((await app.request('GET', '/1.1/search/analyze', { master: true })).body.code).toBe(102)
  })
})

describe('more like this', () => {
  it('considers each of many long objects by the tokens of its beginning', async () => {
    await makeSearched(app, 'Essay', { text: 'String' })
    const ids: string[] = []
    const rare = Array.from({ length: 8000 }, (_, m) => String.fromCodePoint(0x4e00 + m)).join('')
    for (let n = 0; n < 20; n++) ids.push(await add('Essay', { text: `${`keyword${n} `.repeat(40)}${rare}` }))
    const found = await add('Essay', { text: 'keyword19' })
    await indexed(app)
    const query = { clazz: 'Essay', likeObjectIds: ids.join(','), min_doc_freq: '2', max_doc_freq: '2', limit: '50' }
    const { status, body } = await app.request('GET', '/1.1/search/mlt', { query: { ...query, min_term_freq: '30' } })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([found])
  })

  it('finds objects that share its words, excluding itself', async () => {
    await makeSearched(app, 'Recipe', { text: 'String' })
    const ids: string[] = []
    for (const text of [
      'flour flour sugar sugar eggs',
      'flour and sugar',
      'flour, butter',
      'rice',
      'sugar sugar flour flour',
    ])
      ids.push(await add('Recipe', { text }))
    await indexed(app)
    const mlt = async (query: Record<string, string>) =>
      (await app.request('GET', '/1.1/search/mlt', { query: { clazz: 'Recipe', ...query } })).body
    const texts = ({ results }: { results: { text: string }[] }) => results.map(({ text }) => text).sort()
    expect(texts(await mlt({ likeObjectIds: ids[0]!, min_doc_freq: '2' }))).toEqual([
      'flour and sugar',
      'flour, butter',
      'sugar sugar flour flour',
    ])
    expect(texts(await mlt({ like: 'sugar sugar', min_doc_freq: '1' }))).toHaveLength(3)
    expect(texts(await mlt({ like: 'sugar', min_doc_freq: '1' }))).toEqual([])
    expect(texts(await mlt({ like: 'sugar sugar' }))).toEqual([])
    expect(texts(await mlt({ like: 'flour flour', min_doc_freq: '1', max_doc_freq: '3' }))).toEqual([])
    expect((await mlt({})).code).toBe(102)
    expect((await mlt({ like: 'x', min_doc_freq: 'many' })).code).toBe(102)
  })
})
