import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

// Clients for Java 6.4 and 6.5 without push login: ClientConnection queries the router with appId and installationId, and no
// later command has an appId.
const app = await makeApp()

async function routeOf(appId: string): Promise<string> {
  const query = { appId, installationId: 'device', secure: '1' }
  const { body } = await app.request('GET', '/v1/route', { query })
  expect(body.secondary).toBe(body.server)
  return body.server
}

const noApp = { cmd: 'session', op: 'open', peerId: 'mia', sessionMessage: { ua: 'android/6.5.2' } } as const

it('a client opens its session without naming its app, at its assigned URL', async () => {
  const connection = await connect({ url: await routeOf(app.appId), appId: app.appId })
  const early = await connection.request({ cmd: 'conv', op: 'query', peerId: 'mia', convMessage: {} })
  expect(early.errorMessage?.code).toBe(4105)
  expect(await connection.request(noApp)).toMatchObject({ cmd: 'session', op: 'opened', peerId: 'mia' })
  const started = await connection.request({ cmd: 'conv', op: 'start', convMessage: { m: ['mia', 'leo'] } })
  expect(started).toMatchObject({ op: 'started', peerId: 'mia' })
})

it('an app named by the client takes precedence', async () => {
  const connection = await connect({ url: await routeOf('another'), appId: app.appId })
  expect(await connection.request({ ...noApp, appId: app.appId })).toMatchObject({ op: 'opened' })
})

it('the URL of an unknown app closes the connection', async () => {
  const connection = await connect({ url: await routeOf('nobody'), appId: 'nobody' })
  connection.send({ ...noApp, i: 1 })
  expect(await connection.closed).toEqual([4100, 'APP_NOT_AVAILABLE'])
})

it('an invalid app id cannot escape its path segment in the URL', async () => {
  expect(new URL(await routeOf('../a?b#c\r\n')).pathname).toBe(`/app/${encodeURIComponent('../a?b#c\r\n')}`)
})
