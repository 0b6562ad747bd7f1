import { describe, expect, it, vi } from 'vitest'
import { call, makeApp } from '../../support/app.ts'
import { startOwnServer } from '../../support/own-server.ts'
import { type Conversation, devicesOf, nextEvent } from '../../support/realtime.ts'

const app = await makeApp()
const newDevice = devicesOf(app)
const safe = await startOwnServer(['--public-url', 'https://api.example.org'])

/** Private members of the official client. */
interface Inside {
  readonly _connection: {
    readonly _ws: object
    disconnect(): void
    send(command: object): Promise<{ readonly i: number }>
  }
  _send(command: object): Promise<object>
}
const inside = (client: object) => client as Inside

describe('the router', () => {
  it('returns the same URL as server and secondary, with a lifetime', async () => {
    const { status, body } = await app.request('GET', '/v1/route', { query: { appId: app.appId, secure: 'true' } })
    const server = `${app.url.replace('http', 'ws')}/`
    expect(status).toBe(200)
    expect(body).toEqual({ groupId: expect.any(String), groupUrl: server, server, secondary: server, ttl: 3600 })
  })

  it.each([
    ['1', 'wss'],
    ['true', 'wss'],
    ['false', 'ws'],
    ['0', 'ws'],
  ])('with secure=%s returns %s over a secure request', async (secure, scheme) => {
    const { body } = await call(safe.url, 'GET', `/v1/route?secure=${secure}`, {}, undefined)
    expect(body.server).toBe(`${scheme}://api.example.org/`)
  })
})

describe('a connection', () => {
  it('is shared by the clients of a device', async () => {
    const device = newDevice()
    const [tom, jerry] = [await device.logIn('tom'), await device.logIn('jerry')]
    expect(inside(tom)._connection).toBe(inside(jerry)._connection)
    expect(await tom.ping(['jerry'])).toEqual(['jerry'])
  })

  it('carries text as well', async () => {
    const client = await newDevice({ noBinary: true }).logIn(null)
    expect(client.id).toEqual(expect.any(String))
    await client.close()
  })

  it('responds once to identical queries, and separately to different ones', async () => {
    const client = await newDevice().logIn('asks')
    const answers = await Promise.all([client.ping(['asks']), client.ping(['asks']), client.ping(['nobody'])])
    expect(answers).toEqual([['asks'], ['asks'], []])
  })

  it('that is lost is reestablished with its session', async () => {
    const device = newDevice()
    const client = await device.logIn('returns')
    const back = nextEvent(client, 'reconnect')
    inside(client)._connection.disconnect()
    await back
    expect(await client.ping(['returns'])).toEqual(['returns'])
  })

  it('that is lost is not harmed by commands sent before the session is reopened', async () => {
    const device = newDevice()
    const broken = vi.fn()
    const early: unknown[] = []
    let conversation: Conversation | undefined
    // Listeners run in order of registration: this one runs before the client reopens its session.
    device.realtime.on('reconnect', () => {
      conversation!.send(new device.sdk.TextMessage('too early')).catch((error) => early.push(error))
    })
    device.realtime.on('error', broken)
    const client = await device.logIn('speaks early')
    conversation = (await client.createConversation({ members: ['jerry'] })) as Conversation
    const back = nextEvent(client, 'reconnect')
    inside(client)._connection.disconnect()
    await back
    await expect.poll(() => early).toMatchObject([{ code: 4105, name: 'SESSION_REQUIRED' }])
    const sent = await conversation.send(new device.sdk.TextMessage('in time'))
    expect(sent.id).toEqual(expect.any(String))
    expect(broken).not.toHaveBeenCalled()
  })
})
