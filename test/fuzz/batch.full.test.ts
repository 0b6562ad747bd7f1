import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { checkAnswer, checkError, startFuzzedServer } from './server.ts'
import { corrupted, object, objectBody, operation, parameters, value, where } from './wire.ts'

const server = await startFuzzedServer()
const { client, master } = server

const senders = fc.constantFrom(client, client, master)
const json = (text: string) => JSON.stringify(text)

const methods = fc.constantFrom(
  'POST',
  'POST',
  'PUT',
  'GET',
  'DELETE',
  'get',
  'PATCH',
  'HEAD',
  'OPTIONS',
  '',
  'SELECT',
  '__proto__',
)
const paths = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '/1.1/classes/Post',
      '/1.1/classes/Post',
      '/1.1/classes/Post/',
      '/1.1/classes/Post/5f0000000000000000000001',
      '/1/classes/Post',
      '/1.1/classes/_User',
      '/1.1/roles',
      '/1.1/files',
      '/1.1/date',
      '/1.1/schemas',
      '/1.1/scan/classes/Post',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/1.1/batch',
      '/1.1/batch/save',
      '/admin/apps',
      '/health',
      '/metrics',
      '/2/route',
      '/1.1/classes/%',
      '/1.1/classes/%00',
      '/1.1/classes/Post?where=%',
      '/1.1/classes/Post?where={"$or":[]}',
      '1.1/classes/Post',
      '//',
      '/1.1/../admin/apps',
      '/1',
      '',
      '/1.1/classes/No such class',
      '/1.1/exportData',
      '/1.1/classes/Post/a,b,,c',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)
const params = fc
  .tuple(parameters, fc.option(where))
  .map(([pairs, condition]) =>
    object([
      ...pairs.map(([name, text]) => [name, json(text)] as const),
      ...(condition === null ? [] : [['where', condition] as const]),
    ]),
  )

/** A batch item, mostly a valid one. */
const item = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(methods, paths, objectBody, fc.option(params, { freq: 3 }))
      .map(([method, path, body, query]) =>
        object([
          ['method', json(method)],
          ['path', json(path)],
          ['body', body],
          ...(query === null ? [] : [['params', query] as const]),
        ]),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom('method', 'path', 'body', 'params'), value), { maxLength: 4 })
      .map(object),
  },
  { weight: 1, arbitrary: value },
)

test('items of a batch: each succeeds or fails independently', async () => {
  let succeeded = 0
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 8 }), senders, async (items, sender) => {
      const answer = await server.send('POST', '/1.1/batch', sender, `{"requests":[${items.join(',')}]}`)
      checkAnswer(answer)
      if (answer.status !== 200) return
      const results: { success?: unknown; error?: unknown }[] = JSON.parse(answer.text)
      expect(results).toHaveLength(items.length)
      for (const result of results) {
        expect(Object.keys(result)).toHaveLength(1)
        if (Object.hasOwn(result, 'success')) succeeded++
        else checkError(result.error, answer.text.slice(0, 1000))
      }
    }),
    runs(500),
  )
  expect(succeeded).toBeGreaterThan(30)
})

test('malformed batch bodies', async () => {
  const bodies = fc.oneof(
    value,
    value.map((requests) => `{"requests":${requests}}`),
    corrupted(fc.array(item, { maxLength: 3 }).map((items) => `{"requests":[${items.join(',')}]}`)),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('/1.1/batch', '/1.1/batch/save'), bodies, senders, async (path, body, sender) =>
      checkAnswer(await server.send('POST', path, sender, body)),
    ),
    runs(400),
  )
})

const internalId = fc.constantFrom('a', 'b', 'c', '', '__proto__').map(json)
const child = fc.oneof(
  fc
    .tuple(
      internalId,
      fc.constantFrom('Post', 'Comment', 'no class'),
      fc.constantFrom('owner', 'text', '', '__proto__'),
    )
    .map(([cid, className, key]) =>
      object([
        ['cid', cid],
        ['className', json(className)],
        ['key', json(key)],
      ]),
    ),
  value,
)
const saved = fc
  .tuple(
    fc.constantFrom('POST', 'POST', 'PUT', 'GET', 'DELETE', ''),
    paths,
    fc.oneof({ weight: 9, arbitrary: internalId }, { weight: 1, arbitrary: value }),
    fc.oneof(
      { weight: 5, arbitrary: fc.array(child, { maxLength: 2 }).map((list) => `[${list.join(',')}]`) },
      { weight: 1, arbitrary: value },
    ),
    fc.array(fc.tuple(fc.constantFrom('text', 'number', 'list', 'owner'), fc.oneof(value, operation)), {
      maxLength: 2,
    }),
  )
  .map(([method, path, id, children, fields]) =>
    object([
      ['method', json(method)],
      ['path', json(path)],
      ['body', object([['__internalId', id], ['__children', children], ...fields])],
    ]),
  )

test('object graphs saved in a batch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(saved, { maxLength: 4 }), senders, async (requests, sender) =>
      checkAnswer(await server.send('POST', '/1.1/batch/save', sender, `{"requests":[${requests.join(',')}]}`)),
    ),
    runs(500),
  )
})
