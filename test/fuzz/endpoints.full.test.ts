import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/api/endpoints.ts'
import { runs } from '../support/runs.ts'
import { checkAnswer, type RawAnswer, startFuzzedServer } from './server.ts'
import { object, value, where } from './wire.ts'

const server = await startFuzzedServer()
const { client, master, adminToken } = server

/** Returns the names that the source reads from bodies and parameters: `body.name`, `text(body, 'name')`. */
function namesInSource(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .flatMap((entry) => {
      const source = readFileSync(join(entry.parentPath, entry.name), 'utf8')
      const read = source.matchAll(/\b(?:body|query|parameters|params|wire|request|fields|given|child)\??\.(\w{2,})\b/g)
      const named = source.matchAll(/\((?:body|query|parameters|wire|request|fields|given|call\.\w+), '(\w{1,30})'/g)
      return [...read, ...named].map((found) => found[1]!)
    })
}

const names = [...new Set(namesInSource(join(import.meta.dirname, '../../src')))].sort()

/** Values that are not text and cannot be converted to it, and other unexpected values. */
const odd = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '{"toString":[]}',
      '{"toString":1,"valueOf":2}',
      '[{"toString":[]}]',
      '{"length":1e9}',
      '{"then":1}',
      '{"constructor":{"name":"String"}}',
      '{"__proto__":null}',
      '{"__type":"Date","iso":{"toString":[]}}',
      '{"__type":{"toString":[]}}',
      '{"__op":{"toString":[]}}',
      '{"__op":"Delete"}',
      '{"__op":"Batch","ops":[{"__op":"Add","objects":{"length":1}}]}',
      '[]',
      '[[]]',
      '{}',
      'null',
      '""',
      '0',
      '-1',
      '1e400',
      'true',
      '"\\ud800"',
      '"\\u0000"',
      '"__proto__"',
      '["a","a"]',
    ),
  },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: where },
)
const member = fc.tuple(fc.constantFrom(...names), odd)
const bodies = fc.array(member, { minLength: 1, maxLength: 6 }).map(object)
const parts = fc.constantFrom('abc', '5f0000000000000000000001', 'Post', '_User', 'constructor', '%7B%7D', '0', 'a,b')
/** Excludes deletions of apps and changes of their keys, which would break later tests. */
const routes = endpoints.filter(
  ({ path, method }) => !(method === 'DELETE' && path.startsWith('/admin/')) && path !== '*',
)

/** Services missing on the test server respond with 503; a server fault is code 1 with status 500. */
function checkNoFault(answer: RawAnswer, shown: string): void {
  expect(answer.status === 500 ? `${shown} ${answer.text}` : '').toBe('')
  if (answer.status < 500 && answer.contentType.startsWith('application/json')) checkAnswer(answer)
}

test('finds the parameter names of clients in the source', () => {
  expect(names).toEqual(expect.arrayContaining(['where', 'limit', 'mobilePhoneNumber', 'conv_id', 'requests']))
})

test('every endpoint, with values of unexpected types', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.array(parts, { minLength: 4, maxLength: 4 }),
      bodies,
      fc.boolean(),
      fc.boolean(),
      async ({ method, path }, given, body, isMaster, tunnelled) => {
        const filled = given.reduce((text, part) => text.replace(/:\w+/, part), path)
        const sender = { ...(isMaster ? master : client), authorization: `Bearer ${adminToken}` }
        const [sent, text, headers] =
          tunnelled || method === 'GET'
            ? ['POST', `{"_method":"${method}",${body.slice(1)}`, { ...sender, 'content-type': 'text/plain' }]
            : [method, body, sender]
        checkNoFault(await server.send(sent, filled, headers, text), `${method} ${filled} ${text}`)
      },
    ),
    runs(2500),
  )
})
