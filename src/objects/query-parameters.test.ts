import { describe, expect, it } from 'vitest'
import type { Json } from '../values/json.ts'
import { pageSize, parseFindQuery, parseView } from './query-parameters.ts'

describe('limit (protocol/storage, Query parameters)', () => {
  it.each<[Json | undefined, number]>([
    [undefined, 100],
    ['', 100],
    ['1', 1],
    ['1000', 1000],
    ['1001', 100],
    ['-1', 100],
    ['0', 100],
    [0, 100],
    ['2.5', 100],
    ['many', 100],
    [50, 50],
  ])('%j gives pages of %i', (raw, size) => expect(pageSize(raw)).toBe(size))
})

it.each<[Json | undefined, Json | undefined, number]>([
  ['0', '1', 0],
  [0, 1, 0],
  ['0', 'true', 0],
  ['0', undefined, 100],
  ['0', '0', 100],
  ['', '1', 100],
  ['-1', '1', 100],
  ['5', '1', 5],
])('limit=%j with count=%j gives pages of %i', (limit, count, size) => {
  expect(parseFindQuery({ limit, count }).limit).toBe(size)
})

describe('keys and include', () => {
  it('includes the pointer of a dotted key', () => {
    const view = parseView({ keys: 'title,author.name', include: 'post.author' })
    expect(view.include).toEqual({ post: { author: {} }, author: {} })
    expect(view.selection?.included).toEqual({ title: {}, author: { name: {} } })
  })
  it('keeps the fields that are not excluded', () => {
    expect(parseView({ keys: '-title,-a.b' }).selection).toEqual({ included: null, excluded: [['title'], ['a', 'b']] })
  })
  it('leaves objects unchanged without parameters', () => {
    expect(parseView({})).toEqual({ selection: null, include: null, acl: false })
  })
})

describe('other parameters', () => {
  it('rejects a where that is not JSON with code 107', () => {
    expect(() => parseFindQuery({ where: '{a' })).toThrow(expect.objectContaining({ code: 107 }))
  })
  it('rejects a negative skip with code 102', () => {
    expect(() => parseFindQuery({ skip: '-1' })).toThrow(expect.objectContaining({ code: 102 }))
  })
  it.each<[Json | undefined, boolean]>([
    ['1', true],
    [1, true],
    ['true', true],
    ['True', true],
    ['False', false],
    ['0', false],
    [undefined, false],
  ])('count=%j counts: %s', (count, counted) => expect(parseFindQuery({ count }).count).toBe(counted))
})
