import { afterEach, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { deadUrl, inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import type { ApiError } from '../errors.ts'
import { Engine } from './engine.ts'
import type { EngineSettings } from './engine-settings.ts'
import { isFunctionName } from './function-name.ts'
import { type FunctionCall, runFunction } from './functions.ts'

const production = await standInEngine()
const staging = await standInEngine()
const both = { production: production.url, staging: staging.url }
let settings: EngineSettings = both
const { log, lines } = recordedLog()
const engine = new Engine({ appId: KEYS.id, keys: () => KEYS, settings: () => settings, log })

afterEach(() => {
  for (const { functions, calls } of [production, staging]) {
    functions.clear()
    calls.length = 0
  }
  settings = both
  lines.length = 0
})

const run = (call: Partial<FunctionCall> = {}) =>
  runFunction(engine, { encoding: 'functions', name: 'f', parameters: {}, master: false, production: true, ...call })

/** The status and code of an error; checks that its text shows neither keys nor addresses. */
async function refusal(running: Promise<unknown>): Promise<[status: number, code: number]> {
  const error = (await running.then(
    () => expect.fail('the call should have been refused'),
    (error) => error,
  )) as ApiError
  expect(`${error.message} ${JSON.stringify(lines)}`).not.toMatch(/secret|127\.0\.0\.1/)
  return [error.status, error.code]
}

it.each([
  ['functions', '/1.1/functions/f'],
  ['call', '/1.1/call/f'],
] as const)(
  '%s: sends the parameters to the path of the same name, and returns the response unchanged',
  async (encoding, url) => {
    production.functions.set('f', json({ result: { a: 1 } }))
    production.functions.set('/1.1/call/f', json({ result: { a: 1 } }))
    const answer = await run({ encoding, parameters: { _x: 1, where: { __type: 'Date' } } })
    expect(answer).toEqual({ status: 200, text: '{"result":{"a":1}}' })
    expect(production.calls[0]).toMatchObject({ method: 'POST', url })
    expect(inputOf(production.calls[0])).toEqual({ _x: 1, where: { __type: 'Date' } })
  },
)

it('distinguishes clients with the app key from those with the master key', async () => {
  production.functions.set('f', json({}))
  await run()
  await run({ master: true })
  const keys = production.calls.map(({ headers }) => headers['x-lc-key'])
  expect(keys).toEqual([KEYS.appKey, `${KEYS.masterKey},master`])
})

it('passes on the session, environment and address of the client, and the hook key for cloud code only', async () => {
  production.functions.set('f', json({}))
  await run({ session: 'whoever', clientAddress: '203.0.113.7' })
  await run({ fromCloudCode: true })
  expect(production.calls[0]!.headers).toMatchObject({
    'content-type': 'application/json; charset=UTF-8',
    'x-lc-id': KEYS.id,
    'x-lc-session': 'whoever',
    'x-lc-prod': '1',
    'x-real-ip': '203.0.113.7',
    'x-forwarded-for': '203.0.113.7',
    forwarded: 'for=203.0.113.7;proto=https',
    'x-forwarded-proto': 'https',
  })
  expect(production.calls[0]!.headers).not.toHaveProperty('x-lc-hook-key')
  expect(production.calls[1]!.headers).toMatchObject({ 'x-lc-hook-key': KEYS.hookKey })
  expect(production.calls[1]!.headers).not.toHaveProperty('x-lc-session')
})

it('has a separate engine for staging, without a fallback', async () => {
  staging.functions.set('f', json({ result: 'staging' }))
  expect((await run({ production: false })).text).toBe('{"result":"staging"}')
  expect(staging.calls[0]!.headers['x-lc-prod']).toBe('0')
  settings = { production: production.url }
  expect(await refusal(run({ production: false }))).toEqual([503, 503])
  expect(production.calls).toEqual([])
})

it.each([400, 401, 404, 500, 502, 503])('returns a failure with status %i unchanged', async (status) => {
  production.functions.set('f', json({ code: '4711', error: 'no', more: [1] }, status))
  expect(await run()).toEqual({ status, text: '{"code":"4711","error":"no","more":[1]}' })
  expect(production.calls).toHaveLength(1)
})

it.each([
  ['', 'The cloud code returned HTTP status 500 and no JSON object.'],
  ['<html><pre>at /srv/secret.js:1', 'The cloud code returned HTTP status 500 and no JSON object.'],
  ['boom\n  at /srv/secret.js:1', 'boom'],
  ['"text"', '"text"'],
  ['x'.repeat(5000), 'x'.repeat(200)],
])('wraps a failure other than a JSON object: %.12s', async (body, error) => {
  production.functions.set('f', (response) => response.writeHead(500).end(body))
  const { status, text } = await run()
  expect([status, JSON.parse(text)]).toEqual([500, { code: 1, error }])
})

it.each(['[]', '"ok"', '<html>', '{"result":', '['.repeat(50_000)])(
  'reports a success other than a JSON object as a failure: %.12s',
  async (body) => {
    production.functions.set('f', (response) => response.end(body))
    const { status, text } = await run()
    expect([status, JSON.parse(text)]).toEqual([502, { code: 1, error: expect.any(String) }])
  },
)

it('accepts an empty response', async () => {
  production.functions.set('f', (response) => response.end())
  expect(await run()).toEqual({ status: 200, text: '{}' })
})

it.each([201, 204, 301, 302, 304, 307, 308, 799])('rejects status %i of a function', async (status) => {
  production.functions.set('f', (response) => response.writeHead(status, { location: `${staging.url}/` }).end())
  expect((await run()).status).toBe(502)
  expect([...production.calls, ...staging.calls]).toHaveLength(1)
})

it('gives up on a function that takes too long', async () => {
  production.functions.set('f', () => {})
  expect(await refusal(run({ timeout: 50 }))).toEqual([503, 124])
  production.functions.set('f', (response) => void response.writeHead(200).write('{"result":'))
  expect(await refusal(run({ timeout: 50 }))).toEqual([503, 124])
})

it('reports an engine as unavailable that is away, dies or sends an endless response', async () => {
  production.functions.set('f', (response) => void response.socket!.destroy())
  expect(await refusal(run())).toEqual([503, 503])
  production.functions.set('f', (response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
    }
    response.on('drain', write)
    write()
  })
  expect(await refusal(run())).toEqual([503, 503])
  settings = { production: await deadUrl() }
  expect(await refusal(run())).toEqual([503, 503])
})

it.each(['a', 'topReview', 'my-func.v2', '_own', '9', 'ä', '发送验证码', '発信', 'x'.repeat(200)])(
  'accepts %.12s as the name of a function',
  (name) => {
    expect(isFunctionName(name)).toBe(true)
  },
)

it.each([
  '__before_save_for_Review',
  '__on_login__User',
  '__anything',
  '_ops',
  '_User',
  '_Conversation',
  '_messageReceived',
  '_MESSAGERECEIVED',
  '_rtmClientSign',
  '_clientOffline',
  'a/b',
  'a b',
  'a%2Fb',
  'a?b',
  '发送 验证码',
  '发送／验证码',
  '__发送',
  '🎉',
  '',
  '.',
  '..',
  'x'.repeat(201),
])('never calls %.30s, which would be a hook, or another path', async (name) => {
  expect(await refusal(run({ name }))).toEqual([404, 1])
  expect(production.calls).toEqual([])
})

it('rejects a session token that cannot be sent in a header', async () => {
  expect(await refusal(run({ session: 'a\nX-LC-Key: b' }))).toEqual([400, 211])
  expect(production.calls).toEqual([])
})
