import { describe, expect, it } from 'vitest'
import { sessionToken } from '../../src/messaging/sessions/session-tokens.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

const app = await makeApp()

const error = (code: number, reason: string) => expect.objectContaining({ code, reason })

describe('opening', () => {
  it('returns an id, a token and its lifetime, the server time, and no code', async () => {
    const connection = await connect(app)
    const before = Date.now()
    const opened = await connection.open('tom')
    expect(opened).toMatchObject({ cmd: 'session', op: 'opened', i: 1, peerId: 'tom' })
    expect(opened.serverTs).toBeGreaterThanOrEqual(before)
    expect(opened.sessionMessage).toEqual({ st: expect.any(String), stTtl: 172_800 })
  })

  it.each([-65_535, 0, 2_147_483_647])('returns the number %i of the request', async (i) => {
    const connection = await connect(app)
    const answer = await connection.request({ cmd: 'session', op: 'open', appId: app.appId, peerId: 'java', i })
    expect(answer).toMatchObject({ op: 'opened', i })
  })

  it('returns no number for a request without one', async () => {
    const connection = await connect(app)
    connection.send({ cmd: 'session', op: 'open', appId: app.appId, peerId: 'java' })
    const answer = await connection.take(({ cmd }) => cmd === 'session')
    expect(answer).toMatchObject({ op: 'opened', peerId: 'java' })
    expect(answer).not.toHaveProperty('i')
  })

  it('gives anonymous clients distinct ids, also concurrently', async () => {
    const connection = await connect(app)
    const answers = await Promise.all([connection.open(undefined), connection.open(undefined), connection.open('')])
    const ids = answers.map(({ peerId }) => peerId)
    expect(ids.every((id) => typeof id === 'string' && id.length > 10 && id.length <= 64)).toBe(true)
    expect(new Set(ids).size).toBe(3)
  })

  it('of an open client gets another response', async () => {
    const connection = await connect(app)
    const answers = await Promise.all([connection.open('tom'), connection.open('tom')])
    expect(answers).toMatchObject([{ op: 'opened' }, { op: 'opened' }])
    expect(await connection.open('tom')).toMatchObject({ op: 'opened', sessionMessage: { stTtl: 172_800 } })
  })

  it.each(['x'.repeat(65), 'a\u0000b'])('rejects the id %j', async (peerId) => {
    const connection = await connect(app)
    const answer = await connection.open(peerId)
    expect(answer).toMatchObject({ cmd: 'error', errorMessage: error(4103, 'INVALID_LOGIN') })
    expect(await connection.open('x'.repeat(64))).toMatchObject({ op: 'opened' })
  })

  it.each([{ tag: 'x'.repeat(257) }, { deviceId: 'x'.repeat(257) }, { deviceId: 'a\u0000b' }])(
    'rejects %j',
    async (message) => {
      const connection = await connect(app)
      const answer = await connection.open('tom', message)
      expect(answer).toMatchObject({ cmd: 'error', peerId: 'tom', errorMessage: error(4103, 'INVALID_LOGIN') })
    },
  )

  it('for an unknown app closes the connection', async () => {
    const connection = await connect({ ...app, appId: 'nobody' })
    void connection.open('tom')
    expect(await connection.closed).toEqual([4100, 'APP_NOT_AVAILABLE'])
  })

  it('does not cover earlier commands, which are rejected without closing the connection', async () => {
    const connection = await connect(app)
    const early: readonly GenericCommand[] = [
      { cmd: 'direct', i: 5, directMessage: { cid: '555555555555555555555555', msg: 'too early' } },
      { cmd: 'conv', op: 'query', i: -6, convMessage: {} },
      { cmd: 'session', op: 'query', i: 0, peerId: 'tom' },
      { cmd: 'login', i: 8, installationId: 'phone' },
    ]
    for (const command of early)
      expect(await connection.request(command)).toMatchObject({
        cmd: 'error',
        i: command.i,
        errorMessage: error(4105, 'SESSION_REQUIRED'),
      })
    connection.send({ cmd: 'ack', i: 9, ackMessage: { cid: 'c', mid: 'm' } })
    connection.send({ cmd: 'conv', op: 'query' })
    expect(await connection.open('tom')).toMatchObject({ op: 'opened' })
    expect(await connection.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
    expect(connection.received.map(({ i }) => i)).toEqual([...early.map(({ i }) => i), 1, 2])
  })

  it('precedes commands sent without waiting for it', async () => {
    const connection = await connect(app)
    const open = connection.open('eager')
    const answer = await connection.request({
      cmd: 'session',
      op: 'query',
      peerId: 'eager',
      sessionMessage: { sessionPeerIds: ['eager'] },
    })
    expect(await open).toMatchObject({ op: 'opened' })
    expect(answer).toMatchObject({ sessionMessage: { onlineSessionPeerIds: ['eager'] } })
  })
})

describe('a token', () => {
  const tokenOf = async (peerId: string, message: object = {}) => {
    const connection = await connect(app)
    const { sessionMessage } = await connection.open(peerId, message)
    connection.drop()
    return sessionMessage!.st!
  }

  it('reopens the session on another connection', async () => {
    const st = await tokenOf('tom')
    const connection = await connect(app)
    expect(await connection.open('tom', { st, r: true })).toMatchObject({ op: 'opened', peerId: 'tom' })
  })

  it('is extended while half of its lifetime remains, if the client names itself', async () => {
    const hours = (count: number) => count * 3_600_000
    const holder = { clientId: 'often', tag: null, deviceId: 'phone' }
    const givenBefore = (age: number) => sessionToken(app.masterKey, app.appId, holder, Date.now() - age)
    const open = async (message: object) => {
      const connection = await connect(app)
      const { sessionMessage } = await connection.open('often', message)
      connection.drop()
      return sessionMessage!
    }
    const young = givenBefore(hours(23.5))
    const goesOn = await open({ st: young })
    expect(goesOn.st).toBe(young)
    expect(goesOn.stTtl).toBeGreaterThan(24 * 3600)
    expect(goesOn.stTtl).toBeLessThanOrEqual(24.5 * 3600)
    for (const message of [{ st: givenBefore(hours(24.5)) }, { st: young, deviceId: 'pad' }]) {
      const { st, stTtl } = await open(message)
      expect(st).not.toBe(message.st)
      expect(stTtl).toBe(172_800)
      expect((await open({ st })).st).toBe(st)
    }
  })

  it.each([
    ['made up', async () => 'nonsense'],
    ['made up like one', async () => 'bm9uc2Vuc2U.bm9uc2Vuc2U'],
    ['of somebody else', () => tokenOf('jerry')],
  ])('that is %s is rejected, and the next open without one succeeds', async (_, st) => {
    const connection = await connect(app)
    const refused = await connection.open('tom', { st: await st(), r: true })
    expect(refused).toMatchObject({ cmd: 'error', peerId: 'tom', errorMessage: error(4112, 'SESSION_TOKEN_EXPIRED') })
    expect(await connection.open('tom', { r: true })).toMatchObject({ op: 'opened' })
  })

  it('sent without a number is rejected without one', async () => {
    const connection = await connect(app)
    connection.send({ cmd: 'session', op: 'open', appId: app.appId, peerId: 'java', sessionMessage: { st: 'old' } })
    const refused = await connection.take(({ cmd }) => cmd === 'error')
    expect(refused).toEqual({ cmd: 'error', peerId: 'java', errorMessage: error(4112, 'SESSION_TOKEN_EXPIRED') })
  })

  it('from before the client was kicked is rejected', async () => {
    const st = await tokenOf('kicked')
    await app.sql(`INSERT INTO "$kicks" (client_id, ts) VALUES ('kicked', $1)`, [Date.now()])
    const connection = await connect(app)
    expect(await connection.open('kicked', { st })).toMatchObject({ errorMessage: { code: 4112 } })
  })

  it('is replaced by a refresh', async () => {
    const connection = await connect(app)
    const opened = await connection.open('tom')
    const { st } = opened.sessionMessage!
    const refreshed = await connection.request({ cmd: 'session', op: 'refresh', peerId: 'tom', sessionMessage: { st } })
    expect(refreshed).toMatchObject({ op: 'refreshed', peerId: 'tom', sessionMessage: { stTtl: 172_800 } })
    const other = await connect(app)
    expect(await other.open('tom', { st: refreshed.sessionMessage!.st })).toMatchObject({ op: 'opened' })
  })
})

describe('several sessions on one connection', () => {
  it('receive each their own messages', async () => {
    const connection = await connect(app)
    await connection.open('tom')
    await connection.open('jerry')
    const query = (peerId?: string) =>
      connection.request({ cmd: 'session', op: 'query', peerId, sessionMessage: { sessionPeerIds: [] } })
    expect(await query('jerry')).toMatchObject({ peerId: 'jerry' })
    expect(await query('tom')).toMatchObject({ peerId: 'tom' })
  })

  it('without an id means the earliest still open', async () => {
    const connection = await connect(app)
    await connection.open('first')
    await connection.open('second')
    const query = () => connection.request({ cmd: 'session', op: 'query' })
    expect((await query()).peerId).toBe('first')
    await connection.open('first')
    expect((await query()).peerId).toBe('first')
    expect(await connection.request({ cmd: 'session', op: 'close', peerId: 'first' })).toMatchObject({ op: 'closed' })
    expect((await query()).peerId).toBe('second')
    await connection.request({ cmd: 'session', op: 'close' })
    expect(await query()).toMatchObject({ cmd: 'error', errorMessage: error(4105, 'SESSION_REQUIRED') })
  })

  it('cannot act for clients that are not open', async () => {
    const connection = await connect(app)
    await connection.open('tom')
    expect(await connection.request({ cmd: 'session', op: 'query', peerId: 'jerry' })).toMatchObject({
      cmd: 'error',
      peerId: 'jerry',
      errorMessage: error(4105, 'SESSION_REQUIRED'),
    })
  })
})

describe('closing', () => {
  it('gets a response without a code, and the client is offline', async () => {
    const connection = await connect(app)
    await connection.open('goes')
    await connection.open('stays')
    const closed = await connection.request({ cmd: 'session', op: 'close', peerId: 'goes' })
    expect(closed).toEqual({ cmd: 'session', op: 'closed', i: closed.i, peerId: 'goes' })
    const sessionPeerIds = ['goes', 'stays']
    const answer = await connection.request({ cmd: 'session', op: 'query', sessionMessage: { sessionPeerIds } })
    expect(answer.sessionMessage).toEqual({ onlineSessionPeerIds: ['stays'] })
  })
})

describe('the tag', () => {
  const tagged = (deviceId: string, more: object = {}) => ({ tag: 'phone', deviceId, ...more })

  it('of a new session closes other sessions with it', async () => {
    const [first, second, third] = [await connect(app), await connect(app), await connect(app)]
    await first.open('tom', tagged('one'))
    await third.open('tom', { tag: 'desk', deviceId: 'three' })
    await second.open('tom', tagged('two'))
    const ended = await first.take(({ op }) => op === 'closed')
    expect(ended).toEqual({
      cmd: 'session',
      op: 'closed',
      service: 2,
      peerId: 'tom',
      sessionMessage: { code: 4111, reason: 'SESSION_CONFLICT' },
    })
    expect(await first.request({ cmd: 'session', op: 'query' })).toMatchObject({ errorMessage: { code: 4105 } })
    expect(await third.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
  })

  it('in use on another device rejects a reconnect', async () => {
    const [first, second] = [await connect(app), await connect(app)]
    const { sessionMessage } = await second.open('ann', tagged('two'))
    await first.open('ann', tagged('one'))
    await second.take(({ op }) => op === 'closed')
    // The token supplies the tag and device that the client omits.
    const back = await second.open('ann', { st: sessionMessage!.st, r: true })
    expect(back).toMatchObject({ cmd: 'error', peerId: 'ann', errorMessage: error(4111, 'SESSION_CONFLICT') })
    expect(await first.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
  })

  it('lets the same device reconnect while its old connection appears open', async () => {
    const [first, second] = [await connect(app), await connect(app)]
    const { sessionMessage } = await first.open('bob', tagged('one'))
    expect(await second.open('bob', { st: sessionMessage!.st, r: true })).toMatchObject({ op: 'opened' })
    expect(await first.take(({ op }) => op === 'closed')).toMatchObject({ sessionMessage: { code: 4111 } })
  })

  it('is free once its session has ended', async () => {
    const [first, second] = [await connect(app), await connect(app)]
    await first.open('eve', tagged('one'))
    await first.request({ cmd: 'session', op: 'close' })
    expect(await second.open('eve', tagged('two', { r: true }))).toMatchObject({ op: 'opened' })
  })

  it('follows the device when its push token changes', async () => {
    const [first, second] = [await connect(app), await connect(app)]
    await first.open('apple', { tag: 'phone', deviceToken: 'old' })
    const reportMessage = { initiative: true, type: 'token', data: 'new' }
    expect(await first.request({ cmd: 'report', op: 'upload', reportMessage })).toMatchObject({ op: 'uploaded' })
    const back = (deviceToken: string) => second.open('apple', { tag: 'phone', deviceToken, r: true })
    expect(await back('old')).toMatchObject({ errorMessage: { code: 4111 } })
    expect(await back('new')).toMatchObject({ op: 'opened' })
  })

  it('default means none', async () => {
    const [first, second] = [await connect(app), await connect(app)]
    await first.open('max', { tag: 'default', deviceId: 'one' })
    await second.open('max', { tag: 'default', deviceId: 'two' })
    expect(await first.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
  })
})

describe('other logins', () => {
  it('of live queries and devices get the response of their service', async () => {
    const connection = await connect(app)
    const login = { cmd: 'login', appId: app.appId, installationId: 'subscription' } as const
    expect(await connection.request({ ...login, service: 1 })).toEqual({
      cmd: 'loggedin',
      i: 1,
      service: 1,
      installationId: 'subscription',
    })
    connection.send({ ...login, installationId: 'device' })
    const loggedin = await connection.take(({ service }) => service === 0)
    expect(loggedin).toEqual({ cmd: 'loggedin', service: 0, installationId: 'device' })
    const logout = await connection.request({ ...login, cmd: 'logout', service: 1 })
    expect(logout).toMatchObject({ cmd: 'loggedout', service: 1, installationId: 'subscription' })
  })
})

describe('a command', () => {
  it('that is unknown is rejected', async () => {
    const connection = await connect(app)
    await connection.open('tom')
    const answer = await connection.request({ cmd: 'conv', op: 'status' })
    expect(answer).toMatchObject({ cmd: 'error', peerId: 'tom', errorMessage: { reason: 'CONVERSATION_API_FAILED' } })
  })

  it('with values that cannot be stored is rejected', async () => {
    const connection = await connect(app)
    await connection.open('tom')
    const convMessage = { m: ['a\u0000b'] }
    const answer = await connection.request({ cmd: 'conv', op: 'start', convMessage })
    expect(answer).toMatchObject({ cmd: 'error', errorMessage: error(4301, 'CONVERSATION_API_FAILED') })
  })
})
