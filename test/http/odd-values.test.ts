import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()
await app.request('POST', '/1.1/classes/Odd', { body: { a: 'b' } })

/** Found by fuzz tests: `String` and `Number` throw for such a value. */
const ODD = { toString: [] }

describe('a value that cannot be converted to text', () => {
  const query = (parameters: object) => ({ _method: 'GET', ...parameters })
  it.each<[what: string, path: string, body: object, status: number]>([
    ['as limit', '/1.1/classes/Odd', query({ limit: ODD }), 200],
    ['as skip', '/1.1/classes/Odd', query({ skip: ODD }), 400],
    ['as limit of a scan', '/1.1/scan/classes/Odd', query({ limit: ODD }), 200],
    ['as class of an inner query', '/1.1/classes/Odd', query({ where: { a: { $inQuery: { className: ODD } } } }), 400],
    [
      'as class of the owner of a relation',
      '/1.1/classes/Odd',
      query({ where: { $relatedTo: { object: { className: ODD, objectId: 'a' }, key: 'b' } } }),
      400,
    ],
    ['as class of a live query', '/1.1/LiveQuery/subscribe', { id: 'a', query: { className: ODD } }, 400],
    [
      'as child of a graph of objects',
      '/1.1/batch/save',
      {
        requests: [
          { method: 'POST', path: '/1.1/classes/Odd', body: { __internalId: 'a', __children: [{ cid: ODD }] } },
        ],
      },
      400,
    ],
    ['as time of a history', '/1.2/rtm/messages', query({ timestamp: ODD }), 400],
    ['as message of a history', '/1.2/rtm/messages', query({ timestamp: 1, msgid: ODD }), 400],
    ['as limit of a history', '/1.2/rtm/messages', query({ limit: ODD }), 200],
    ['as environment of a tunnelled request', '/1.1/classes/Odd', { _ApplicationProduction: [ODD] }, 201],
    ['as type of a value', '/1.1/classes/Odd', { a: { __type: ODD } }, 400],
    ['as operation', '/1.1/classes/Odd', { a: { __op: ODD } }, 400],
  ])('%s gets the same error as any other wrong value', async (_what, path, body, status) => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await app.request('POST', path, { master: true, headers, body })
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
  })
})

describe('a class named like a built-in object property', () => {
  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('%s is an ordinary class', async (name) => {
    const made = await app.request('POST', `/1.1/classes/${name}`, { body: { constructor: 1, valueOf: { a: 'b' } } })
    expect(made.status).toBe(201)
    const path = `/1.1/classes/${name}/${made.body.objectId}`
    expect((await app.request('PUT', path, { body: { toString: 'x' } })).status).toBe(200)
    expect((await app.request('GET', path)).body).toMatchObject({ constructor: 1, valueOf: { a: 'b' }, toString: 'x' })
    const found = await app.request('GET', `/1.1/classes/${name}?where={"constructor":1}`)
    expect(found.body.results).toHaveLength(1)
  })

  it('GeoPoint fields of such names are not counted when the object has none', async () => {
    const point = { __type: 'GeoPoint', latitude: 1, longitude: 2 }
    for (const body of [{ constructor: point }, { valueOf: point }, { place: point }])
      expect((await app.request('POST', '/1.1/classes/OddPlaces', { body })).status).toBe(201)
  })
})
