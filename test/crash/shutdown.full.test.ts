import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { isAlive, makeHome } from '../support/home.ts'
import { differencesIn, extraordinary, ENVIRONMENT as WITH_WRITERS, writersOn } from './writing.ts'

const CREDENTIALS = { appId: 'shutdown', appKey: 'shutdown-app-key', masterKey: 'shutdown-master-key' }
const ENVIRONMENT = {
  HOMEPORT_APP_ID: CREDENTIALS.appId,
  HOMEPORT_APP_KEY: CREDENTIALS.appKey,
  HOMEPORT_MASTER_KEY: CREDENTIALS.masterKey,
}
const HEADERS = { 'x-lc-id': CREDENTIALS.appId, 'x-lc-key': CREDENTIALS.appKey, 'content-type': 'application/json' }

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('lets running requests finish, then stops the database and exits 0', async () => {
    const home = makeHome(onTestFinished)
    const program = await home.start([], ENVIRONMENT)
    const send = (method: string, path: string, body: object) => call(program.url, method, path, HEADERS, body)
    const { body: made } = await send('POST', '/1.1/classes/Slow', { value: 0 })
    const postmaster = home.postmaster()!

    // While another transaction holds the row lock, an update of the row waits.
    const holder = await home.connect()
    await holder.query(`BEGIN; SELECT FROM "app_${CREDENTIALS.appId}"."Slow" FOR UPDATE`)
    const path = `/1.1/classes/Slow/${made.objectId}`
    const running = await Promise.all([1, 2, 3].map((value) => sendTaken(program.url + path, { value })))
    await expect
      .poll(async () => (await holder.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount)
      .toBeGreaterThan(0)
    const ended = new Promise((resolve) => program.process.once('exit', resolve))
    program.process.kill(signal)
    await expect.poll(() => program.output()).toContain(`${signal}: stopping`)
    await expect.poll(() => refuses(program.url)).toBe(true)
    await holder.query('COMMIT')

    for (const { answer } of running) expect(await answer).toBe(200)
    await holder.end()
    expect(await ended).toBe(0)
    expect(isAlive(postmaster)).toBe(false)
    expect(existsSync(join(home.data, 'postgres', 'postmaster.pid'))).toBe(false)
    expect(readdirSync(home.data).filter((name) => name.startsWith('server.lock'))).toEqual([])
  })
})

test('SIGTERM during 64 concurrent writers responds to accepted requests and loses nothing', {
  timeout: 120_000,
}, async () => {
  const home = makeHome(onTestFinished)
  const writing = await writersOn(home)
  const { program, target, writers } = writing
  const postmaster = home.postmaster()!
  expect(await program.stop()).toBe(0)
  await writers.stop()
  expect(isAlive(postmaster)).toBe(false)
  expect(existsSync(join(home.data, 'postgres', 'postmaster.pid'))).toBe(false)
  expect(existsSync(join(home.data, 'server.lock'))).toBe(false)
  expect(program.output()).not.toContain('request failed unexpectedly')
  expect(extraordinary(writing)).toEqual([])

  const again = await home.start([], WITH_WRITERS)
  expect(again.output()).not.toContain('recover')
  target.url = again.url
  expect(await differencesIn(writing)).toEqual([])
})

test('connections with unfinished requests delay shutdown by at most 10 seconds', { timeout: 60_000 }, async () => {
  const home = makeHome(onTestFinished)
  const program = await home.start()
  const sockets = ['', 'POST /1.1/classes/Post HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{'].map((text) => {
    const socket = connect(Number(new URL(program.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    onTestFinished(() => void socket.destroy())
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const since = performance.now()
  expect(await program.stop()).toBe(0)
  expect(performance.now() - since).toBeLessThan(20_000)
})

test('a signal during startup stops the server and its database', async () => {
  const home = makeHome(onTestFinished)
  const starting = home.start()
  starting.catch(() => {})
  await expect.poll(() => existsSync(join(home.data, 'server.lock')), { interval: 5, timeout: 60_000 }).toBe(true)
  const { pid } = JSON.parse(readFileSync(join(home.data, 'server.lock'), 'utf8'))
  process.kill(pid, 'SIGTERM')
  const { process: child } = await starting
  await expect.poll(() => child.exitCode, { timeout: 60_000 }).toBe(0)
  expect(home.postmaster()).toBe(null)
  expect(existsSync(join(home.data, 'server.lock'))).toBe(false)
})

test('a second SIGTERM has no effect', async () => {
  const home = makeHome(onTestFinished)
  const program = await home.start()
  program.process.kill('SIGTERM')
  program.process.kill('SIGTERM')
  expect(await program.stop()).toBe(0)
})

/**
 * Sends an update and resolves once the server has accepted it: requests still in transit when a server stops are rejected.
 * `answer` is the response status, or the connection error.
 */
async function sendTaken(url: string, body: object): Promise<{ answer: Promise<unknown> }> {
  const sent = request(url, { method: 'PUT', headers: { ...HEADERS, expect: '100-continue' } })
  const answer = once(sent, 'response').then(
    ([response]) => response.resume().statusCode,
    (error: Error) => error,
  )
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end(JSON.stringify(body))
  return { answer }
}

/** Returns whether the server rejects new connections. */
function refuses(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
}
