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

  it('shows the fields that are switched on, and what a search adds', async () => {
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
