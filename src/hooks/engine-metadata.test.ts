import { afterEach, expect, it } from 'vitest'
import { json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { readEngineMetadata } from './engine-metadata.ts'

const engine = await standInEngine()
engine.functions.set('hello', json({})).set('_messageReceived', json({}))

afterEach(() => {
  engine.metadata = null
  engine.knowsHookKey = true
  engine.questions.length = 0
})

const read = (production = true) => readEngineMetadata(engine.url, KEYS, production)

it('reads the functions and hooks of an engine with the master key', async () => {
  expect((await read()).names).toEqual(new Set(['hello', '_messageReceived']))
  const { method, headers } = engine.questions.find(({ method }) => method === 'GET')!
  expect(method).toBe('GET')
  expect(headers).toMatchObject({
    'x-lc-id': KEYS.id,
    'x-lc-key': `${KEYS.masterKey},master`,
    'x-avoscloud-master-key': KEYS.masterKey,
    'x-lc-prod': '1',
    'x-forwarded-proto': 'https',
  })
})

it('sends no key to check whether the engine supports the hook key', async () => {
  await read(false)
  const { headers } = engine.questions.find(({ method }) => method === 'OPTIONS')!
  expect(headers).toMatchObject({ 'x-lc-id': KEYS.id, 'x-lc-prod': '0' })
  expect(JSON.stringify(headers)).not.toContain('secret')
})

it.each([true, false])('detects support for the hook key: %s', async (knows) => {
  engine.knowsHookKey = knows
  expect((await read()).knowsHookKey).toBe(knows)
})

it('skips invalid names', async () => {
  engine.metadata = json({ result: ['hello', 7, null, { name: 'x' }] })
  expect((await read()).names).toEqual(new Set(['hello']))
})

it.each<[string, unknown, number, string]>([
  ['404', { code: 1 }, 404, 'status'],
  ['401', { code: 401, error: 'Unauthorized.' }, 401, 'status'],
  ['no list', { result: { hello: true } }, 200, 'garbage'],
  ['no result', {}, 200, 'garbage'],
])('reports %s as a failure', async (_, content, status, kind) => {
  engine.metadata = json(content, status)
  await expect(read()).rejects.toMatchObject({ name: 'EngineFailure', kind })
})

it('does not send the master key to a redirect', async () => {
  engine.metadata = (response) => response.writeHead(302, { location: `${engine.url}/elsewhere` }).end()
  await expect(read()).rejects.toMatchObject({ kind: 'status' })
  expect(engine.calls).toEqual([])
})
