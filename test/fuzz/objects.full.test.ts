import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { checkAnswer, startFuzzedServer } from './server.ts'
import { corrupted, objectBody, operation, parameters, search, value, where } from './wire.ts'

const server = await startFuzzedServer()
const { client, master } = server

const headers = fc.constantFrom(client, client, master)
const className = fc.constantFrom('Post', 'Post', 'Comment', 'Other', '_User', '_Role', '_File', '_Installation')

test('bodies of creates', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: objectBody }, { weight: 1, arbitrary: corrupted(objectBody) }),
      className,
      headers,
      parameters,
      async (body, name, sender, query) =>
        checkAnswer(await server.send('POST', `/1.1/classes/${name}?${search(query)}`, sender, body)),
    ),
    runs(1200),
  )
})

test('bodies of updates of an object with a field of every type', async () => {
  const typed = {
    text: 'x',
    number: 1,
    list: [1],
    object: { a: 1 },
    when: { __type: 'Date', iso: '2026-11-20T21:27:00.123Z' },
    place: { __type: 'GeoPoint', latitude: 1, longitude: 2 },
    owner: { __type: 'Pointer', className: 'Post', objectId: 'abc' },
  }
  const made = await server.send('POST', '/1.1/classes/Typed', client, JSON.stringify(typed))
  const { objectId } = JSON.parse(made.text)
  const fields = [...Object.keys(typed), 'object.a', 'object.b.c', 'text.a', 'list.0', 'place.latitude', 'fresh']
  const change = fc.tuple(fc.constantFrom(...fields), fc.oneof(operation, operation, value))
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 3 }),
      fc.option(where, { freq: 4 }),
      headers,
      fc.boolean(),
      async (changes, condition, sender, fetching) => {
        const body = `{${changes.map(([key, wire]) => `${JSON.stringify(key)}:${wire}`).join(',')}}`
        const query = search([
          ...(condition === null ? [] : ([['where', condition]] as const)),
          ...(fetching ? ([['fetchWhenSave', 'true']] as const) : []),
        ])
        // The query is part of the request head, which Node limits.
        if (query.length > 12_000) return
        checkAnswer(await server.send('PUT', `/1.1/classes/Typed/${objectId}?${query}`, sender, body))
      },
    ),
    runs(1500),
  )
  const read = await server.send('GET', `/1.1/classes/Typed/${objectId}`, client)
  checkAnswer(read)
  expect(JSON.parse(read.text).objectId).toBe(objectId)
})

test('conditions and parameters of queries, scans and deletes', async () => {
  const requests = fc.constantFrom(
    ['GET', '/1.1/classes/Typed'],
    ['GET', '/1.1/classes/Post'],
    ['GET', '/1.1/classes/Post'],
    ['GET', '/1.1/classes/_Role'],
    ['GET', '/1.1/classes/_File'],
    ['GET', '/1.1/scan/classes/Post'],
    ['DELETE', '/1.1/classes/Post/5f0000000000000000000001'],
  )
  await fc.assert(
    fc.asyncProperty(requests, where, parameters, headers, async ([method, path], condition, query, sender) => {
      // Tunneled, because a condition can be longer than a URL.
      const body = { ...Object.fromEntries(query), where: condition, _method: method }
      checkAnswer(await server.send('POST', path!, { ...sender, 'content-type': 'text/plain' }, JSON.stringify(body)))
    }),
    runs(1800),
  )
})
