import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { deadUrl, inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import type { Executor } from '../database/pool.ts'
import type { Handler, Jobs } from '../jobs/jobs.ts'
import { ANONYMOUS, type Caller } from '../objects/access/caller.ts'
import type { Origin } from '../objects/access/origin.ts'
import type { JsonObject } from '../values/json.ts'
import { AFTER_HOOK_JOB, type AfterHookJob, classHooks, handleAfterHooks } from './class-hooks.ts'
import { Engine } from './engine.ts'
import { hookSignature } from './hook-signature.ts'
import { userHooks } from './user-hooks.ts'

const standIn = await standInEngine()
const origin: Origin = { production: true, clientAddress: '203.0.113.7', fromCloudCode: false, ignored: new Set() }
const caller: Caller = { ...ANONYMOUS, origin }
const noUser = async () => null
const transaction: Executor = { query: async () => [], afterCommit: () => {} }

let url: string
let logged: string[]
let engine: Engine
let queued: AfterHookJob[]
const jobs: Pick<Jobs, 'enqueue'> = {
  enqueue: async (_kind, payload) => void queued.push(payload as AfterHookJob),
}
const parts = () => ({ appId: KEYS.id, engine, jobs, userOf: noUser })
/** For hooks that do not respond; all others get enough time for a busy machine. */
const impatient = () => ({ ...parts(), decisionLimit: 100 })

beforeEach(() => {
  url = standIn.url
  logged = []
  queued = []
  standIn.functions.clear()
  standIn.calls.length = 0
  standIn.knowsHookKey = true
  engine = new Engine({
    appId: KEYS.id,
    keys: () => KEYS,
    settings: () => ({ production: url }),
    log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }),
  })
})

/** Defines a hook of the engine, with its name in the list and its path. */
function has(name: string, path: string, reply: ReturnType<typeof json>): void {
  standIn.functions.set(name, json({}))
  standIn.functions.set(path, reply)
}

describe('a before hook', () => {
  const callHook = (hook: 'beforeSave' | 'beforeUpdate' = 'beforeSave', object: JsonObject = { title: 'a' }) =>
    classHooks(parts()).invoke(hook, 'Post', object, caller)

  it('is called at its path, with the object alone without a session', async () => {
    has('__before_save_for_Post', 'Post/beforeSave', json({ title: 'b' }))
    expect(await callHook()).toEqual({ title: 'b' })
    expect(standIn.calls.map((call) => [call.url, inputOf(call)])).toEqual([
      ['/1.1/functions/Post/beforeSave', { object: { title: 'a' } }],
    ])
    expect(standIn.calls[0]!.headers).toMatchObject({ 'x-lc-hook-key': KEYS.hookKey, 'x-real-ip': '203.0.113.7' })
  })

  it('gets the user of the session, also with the master key', async () => {
    has('__before_save_for_Post', 'Post/beforeSave', json({ title: 'b' }))
    const userOf = async (objectId: string) => ({ objectId, sessionToken: 'tok1' })
    for (const master of [false, true]) {
      const self: Caller = { master, userId: 'u1', grants: [], origin }
      await classHooks({ ...parts(), userOf }).invoke('beforeSave', 'Post', {}, self)
    }
    const user = { objectId: 'u1', sessionToken: 'tok1' }
    expect(standIn.calls.map(inputOf)).toEqual(Array(2).fill({ object: {}, user }))
  })

  it('is not called if the engine does not have it', async () => {
    has('__after_save_for_Post', 'Post/afterSave', json({}))
    expect(await callHook()).toEqual({})
    expect(standIn.calls).toEqual([])
  })

  it.each([
    ['an error', json({ code: 9, error: 'No comment provided!' }, 400), 'No comment provided!'],
    ['a fault', json({ code: '141', error: 'script had an error' }, 500), 'script had an error'],
    ['plain text', (response) => response.writeHead(502).end('Bad gateway'), 'Bad gateway'],
    ['nothing', (response) => response.writeHead(503).end(), 'The engine returned HTTP status 503.'],
    ['a redirect', (response) => response.writeHead(302, { location: standIn.url }).end(), /status 302/],
    ['another success', json({ title: 'b' }, 201), '{"title":"b"}'],
  ] satisfies [string, ReturnType<typeof json>, string | RegExp][])(
    'that responds with %s rejects with 142',
    async (_, reply, detail) => {
      has('__before_save_for_Post', 'Post/beforeSave', reply)
      const error = await callHook().catch((error: Error) => error)
      expect(error).toMatchObject({ status: 400, code: 142 })
      expect(String(error)).toContain('Cloud Code validation failed. Error detail : ')
      expect(String(error)).toMatch(detail)
    },
  )

  it('rejects when the engine has become unavailable, without naming its address or a key', async () => {
    has('__before_update_for_Post', 'Post/beforeUpdate', json({}))
    await callHook('beforeUpdate')
    url = await deadUrl()
    const error = await callHook('beforeUpdate').catch((error: Error) => error)
    expect(error).toMatchObject({ status: 400, code: 142 })
    expect(String(error)).not.toMatch(/secret|127\.0\.0\.1/)
  })

  it('rejects with 141 on timeout, naming class and hook', async () => {
    has('__before_update_for_Post', 'Post/beforeUpdate', () => {})
    await expect(classHooks(impatient()).invoke('beforeUpdate', 'Post', {}, caller)).rejects.toMatchObject({
      status: 400,
      code: 141,
      message: "LeanEngine request timeout. The class is 'Post', the hook beforeUpdate.",
    })
  })

  it.each(['', ' ', 'null', '"ok"', 'true', '0', '[]', '[1]'])(
    'accepts without an object in its response: %j',
    async (text) => {
      has('__before_save_for_Post', 'Post/beforeSave', (response) => response.writeHead(200).end(text))
      expect(await callHook()).toEqual({})
      has('__before_update_for_Post', 'Post/beforeUpdate', (response) => response.writeHead(200).end(text))
      expect(await callHook('beforeUpdate')).toEqual({})
    },
  )

  // Otherwise a client could bypass the hook by its data: an engine returns the object, with escapes of its choice.
  it.each<[what: string, text: string]>([
    ['no JSON', '<html>'],
    ['half an object', '{"title":"b"'],
    ['an object followed by other text', '{"title":"b"}}'],
    ['more bytes than are read', `{"title":"${'\\u4e2d'.repeat(4_000_000)}"}`],
    ['a million levels', `{"title":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
    ['more values than an object has', `{"title":[${'0,'.repeat(1_000_000)}0]}`],
  ])('that responds with %s rejects, because the response is unreadable', async (_, text) => {
    has('__before_save_for_Post', 'Post/beforeSave', (response) => response.writeHead(200).end(text))
    const error = await callHook().catch((error: Error) => error)
    expect(error).toMatchObject({ status: 400, code: 142 })
    expect(String(error)).toMatch(/The response of the engine cannot be parsed|The engine returned more than \d+ bytes/)
  })

  it('is authenticated by a signature inside the object for an engine from before the hook key', async () => {
    standIn.knowsHookKey = false
    has('__before_save_for_Post', 'Post/beforeSave', json({ title: 'b' }))
    await callHook()
    const { object } = inputOf(standIn.calls[0]) as { object: { __before: string } }
    const [time] = object.__before.split(',')
    expect(object.__before).toBe(hookSignature('__before_for_Post', KEYS.masterKey, Number(time)))
  })

  it('accepts the signatures by which such an engine skips hooks', () => {
    const { isSigned } = classHooks(parts())
    const signature = hookSignature('__before_for_Post', KEYS.masterKey, 1_700_000_000_000)
    expect(isSigned('before', 'Post', signature)).toBe(true)
    expect(isSigned('after', 'Post', signature)).toBe(false)
    expect(isSigned('before', 'Other', signature)).toBe(false)
    expect(isSigned('before', 'Post', `${signature}0`)).toBe(false)
    expect(isSigned('before', 'Post', '')).toBe(false)
  })
})

describe('an after hook', () => {
  const called = async (userOf: (id: string) => Promise<JsonObject | null> = noUser) => {
    const handlers: Handler<AfterHookJob>[] = []
    const handle = (kind: string, handler: Handler<AfterHookJob>) => {
      expect(kind).toBe(AFTER_HOOK_JOB)
      handlers.push(handler)
    }
    handleAfterHooks({ handle } as Pick<Jobs, 'handle'> as Jobs, async () => ({ engine, userOf }))
    for (const job of queued) await handlers[0]!.run(JSON.parse(JSON.stringify(job)), AbortSignal.timeout(5000))
  }

  it('is called from the queue, with the current user, whose token is not in the queue', async () => {
    has('__after_update_for_Post', 'Post/afterUpdate', json({ result: 'ok' }))
    const object = { objectId: 'p1', _updatedKeys: ['title'] }
    const self: Caller = { ...caller, userId: 'u1' }
    const userOf = async (objectId: string) => ({ objectId, sessionToken: 'secret-token' })
    await classHooks({ ...parts(), userOf }).notify('afterUpdate', 'Post', object, self, transaction)
    expect(JSON.stringify(queued)).not.toContain('secret')
    expect(standIn.calls).toEqual([])
    await called(userOf)
    expect(standIn.calls.map((call) => [call.url, inputOf(call)])).toEqual([
      ['/1.1/functions/Post/afterUpdate', { object, user: { objectId: 'u1', sessionToken: 'secret-token' } }],
    ])
  })

  it('is logged without the text of the engine when it fails, and not called again', async () => {
    has('__after_save_for_Post', 'Post/afterSave', json({ error: 'secret-words' }, 500))
    await classHooks(parts()).notify('afterSave', 'Post', { objectId: 'p1' }, caller, transaction)
    await called()
    expect(standIn.calls).toHaveLength(1)
    expect(logged.join('')).toContain('Post/afterSave')
    expect(logged.join('')).not.toContain('secret')
  })

  it('may respond with other content than JSON', async () => {
    has('__after_save_for_Post', 'Post/afterSave', (response) => response.writeHead(200).end())
    await classHooks(parts()).notify('afterSave', 'Post', { objectId: 'p1' }, caller, transaction)
    await called()
    expect(standIn.calls).toHaveLength(1)
    expect(logged).toEqual([])
  })

  it('is dropped if the engine no longer has it', async () => {
    has('__before_save_for_Post', 'Post/beforeSave', json({}))
    await classHooks(parts()).notify('afterSave', 'Post', { objectId: 'p1' }, caller, transaction)
    await called()
    expect(standIn.calls).toEqual([])
  })

  it('of users is called in the same way', async () => {
    has('__on_verified_sms', 'onVerified/sms', json({ result: 'ok' }))
    await userHooks(parts()).notifyVerified('sms', { objectId: 'u1' }, origin, transaction)
    await called()
    expect(standIn.calls.map((call) => [call.url, inputOf(call)])).toEqual([
      ['/1.1/functions/onVerified/sms', { object: { objectId: 'u1' } }],
    ])
  })
})

describe('a hook of users', () => {
  it('rejects a login with 401', async () => {
    has('__on_login__User', '_User/onLogin', json({ error: 'banned' }, 400))
    await expect(userHooks(parts()).callLoginHook({ objectId: 'u1' }, origin)).rejects.toMatchObject({
      status: 401,
      code: 142,
      message: 'Cloud Code validation failed. Error detail : banned',
    })
  })

  it('rejects with 141 on timeout', async () => {
    has('__on_login__User', '_User/onLogin', () => {})
    has('__on_authdata__User', '_User/onAuthData', () => {})
    const hooks = userHooks(impatient())
    await expect(hooks.callLoginHook({}, origin)).rejects.toMatchObject({ code: 141 })
    await expect(hooks.callAuthDataHook({}, origin)).rejects.toMatchObject({ code: 141 })
  })

  it.each([
    ['another map', { result: { acme: { uid: 'u' } } }, { acme: { uid: 'u' } }],
    ['null', { result: null }, { acme: { code: 'c' } }],
    ['no result', {}, { acme: { code: 'c' } }],
    ['an object of PHP without members', [], { acme: { code: 'c' } }],
  ])('that responds to authData with %s', async (_, answer, expected) => {
    has('__on_authdata__User', '_User/onAuthData', json(answer))
    expect(await userHooks(parts()).callAuthDataHook({ acme: { code: 'c' } }, origin)).toEqual(expected)
  })

  it.each([[{ result: 'text' }], [[1]], [{ result: [1] }]])(
    'rejects with an invalid result for authData: %j',
    async (answer) => {
      has('__on_authdata__User', '_User/onAuthData', json(answer))
      await expect(userHooks(parts()).callAuthDataHook({ acme: {} }, origin)).rejects.toMatchObject({ code: 142 })
    },
  )
})
