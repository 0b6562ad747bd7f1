import { describe, expect, it } from 'vitest'
import { serverHits } from './server-hits.ts'

const answer = (hits: unknown, rest: object = {}) =>
  JSON.stringify({ timed_out: false, _shards: { failed: 0 }, ...(hits !== undefined && { hits: { hits } }), ...rest })

describe('the response of a search server', () => {
  it('contains the ids, names and shares of the hits', () => {
    const hits = [
      { _id: 'a1', matched_queries: ['n0', 'n1'], fields: { share: [0.5] } },
      { _id: 'b2', matched_queries: [] },
      { _id: 'c3' },
    ]
    expect(serverHits(answer(hits), 2)).toEqual({
      ids: ['a1', 'b2', 'c3'],
      matched: ['["n0","n1"]', '[]', '[]'],
      shares: ['0.5', null, null],
    })
  })

  it.each([[answer(undefined)], [answer([])], [answer(undefined, { hits: {} })]])('can be without hits: %s', (text) => {
    expect(serverHits(text, 1)).toEqual({ ids: [], matched: [], shares: [] })
  })

  it('counts only requested names, once, and only numeric shares', () => {
    const hits = [{ _id: 'a1', matched_queries: ['n0', 'n0', 'n7', 'x', 5, null], fields: { share: ['1e999'] } }]
    expect(serverHits(answer(hits), 1)).toEqual({ ids: ['a1'], matched: ['["n0"]'], shares: [null] })
  })

  it.each([
    ['', 'nothing'],
    ['<html>"timed_out":false "failed":0</html>', 'a page'],
    ['{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[', 'a broken answer'],
    ['[]', 'a list'],
    ['null', 'null'],
    [answer([], { timed_out: true }), 'a search that has timed out'],
    [answer([], { _shards: { failed: 1 } }), 'a failed shard'],
    [answer([], { _shards: null }), 'no shards'],
    [answer({}), 'hits that are no list'],
    [answer(undefined, { hits: 'x' }), 'hits that are a text'],
    [answer([null]), 'a hit that is none'],
    [answer([{ _id: 5 }]), 'an id that is a number'],
    [answer([{ _id: "x'); DROP TABLE" }]), 'an id that no object has'],
    [answer([{ _id: 'a\u0000' }]), 'an id with NUL'],
    [`${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'a deep value'],
  ])('counts as unavailable: %#', (text) => {
    expect(serverHits(text, 1)).toBeNull()
  })
})
