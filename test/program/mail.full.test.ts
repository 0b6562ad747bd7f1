import { readdirSync, readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { call } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { makeHome } from '../support/home.ts'
import { linkIn, readMail } from '../support/mail-content.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const ADMIN_TOKEN = 'token-of-the-administrator'
const ENVIRONMENT = {
  HOMEPORT_APP_ID: 'postal',
  HOMEPORT_APP_KEY: 'postal-app-key',
  HOMEPORT_MASTER_KEY: 'postal-master-key',
  HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  HOMEPORT_LOG_LEVEL: 'debug',
}
const HEADERS = { 'x-lc-id': 'postal', 'x-lc-key': 'postal-app-key', 'content-type': 'application/json' }

/** Mails are sent every second, and retried after five, ten and twenty seconds. */
const WAIT = { timeout: 60_000 }

const databaseUrl = await newDatabase()
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
// Its connections can still be closing when the database is dropped.
pool.on('error', () => {})
afterAll(() => pool.end())
/** Returns the last errors of the waiting mails. */
const waiting = async () =>
  (await pool.query(`SELECT last_error FROM homeport.jobs WHERE kind = 'mail'`)).rows.map((row) => row.last_error)
const noneWaiting = () => vi.waitFor(async () => expect(await waiting()).toEqual([]), WAIT)
const oneHasFailed = () =>
  vi.waitFor(async () => expect(await waiting()).toEqual([expect.stringMatching('ECONNREFUSED')]), WAIT)

/** Starts the program with an app that verifies addresses. */
async function start(home: ReturnType<typeof makeHome>, options: readonly string[]): Promise<Program> {
  const program = await home.start(['--database-url', databaseUrl, ...options], ENVIRONMENT)
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const settings = { accounts: { sendVerificationEmail: true } }
  await call(program.url, 'PATCH', '/admin/apps/postal/settings', headers, settings)
  return program
}

let users = 0
/**
 * Registers a user by a request with additional headers.
 * @returns the user's address
 */
async function signUp({ url }: Program, headers: Record<string, string> = {}): Promise<string> {
  const name = `user-${users++}`
  const email = `${name}@example.org`
  const request = http.request(`${url}/1.1/users`, { method: 'POST', headers: { ...HEADERS, ...headers } })
  request.end(JSON.stringify({ username: name, password: 'secret', email }))
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  })
  await text(answer)
  expect(answer.statusCode).toBe(201)
  return email
}

describe('while the mail server is unavailable', { timeout: 90_000 }, () => {
  it('a sign-up succeeds, and its mail is sent once the mail server returns', async () => {
    const port = await freePort()
    const program = await start(makeHome(onTestFinished), ['--smtp-url', `smtp://127.0.0.1:${port}`])
    const email = await signUp(program)
    await oneHasFailed()
    const back = await startSmtpSink(port)
    onTestFinished(() => back.stop())
    await vi.waitFor(() => expect(back.mails).toHaveLength(1), WAIT)
    expect(back.mails[0]).toMatchObject({ to: email })
    const link = linkIn(readMail(back.mails[0]!.content))
    expect((await fetch(link)).status).toBe(200)
    await noneWaiting()
    await expect.poll(() => program.output()).toContain('ECONNREFUSED')
    expect(program.output()).not.toContain(new URL(link).pathname)
  })

  it('a killed server sends the mail once after the next start', async () => {
    const port = await freePort()
    const home = makeHome(onTestFinished)
    const options = ['--smtp-url', `smtp://127.0.0.1:${port}`, '--public-url', 'https://api.example.org/']
    const first = await start(home, options)
    const email = await signUp(first)
    await oneHasFailed()
    await first.kill()
    const back = await startSmtpSink(port)
    onTestFinished(() => back.stop())
    const second = await start(home, options)
    await vi.waitFor(() => expect(back.mails).toHaveLength(1), WAIT)
    await noneWaiting()
    expect(back.mails).toMatchObject([{ to: email }])
    const { origin, pathname } = new URL(linkIn(readMail(back.mails[0]!.content)))
    expect(origin).toBe('https://api.example.org')
    expect((await fetch(second.url + pathname)).status).toBe(200)
  })
})

describe('without a mail server', { timeout: 60_000 }, () => {
  const home = makeHome(afterAll)
  const outbox = join(home.data, 'outbox')
  const hosts = ['evil.example', 'evil.example:80@localhost', 'localhost.evil.example:80', '']

  /** Returns the link of the mail in the outbox for an address. */
  async function linkFor(email: string): Promise<string> {
    await noneWaiting()
    const mails = readdirSync(outbox).map((name) => readMail(readFileSync(join(outbox, name), 'utf8')))
    const own = mails.filter(({ headers }) => headers.get('to') === email)
    expect(own).toHaveLength(1)
    return linkIn(own[0]!)
  }

  it('a mail is stored in the outbox, readable only by the owner of the data directory', async () => {
    const program = await start(home, [])
    const link = await linkFor(await signUp(program))
    for (const name of readdirSync(outbox)) expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600)
    expect((await fetch(link)).status).toBe(200)
    expect(await program.stop()).toBe(0)
  })

  it('and without --public-url links use the host of a request only if it is this machine', async () => {
    const program = await start(home, [])
    const { port } = new URL(program.url)
    expect(await linkFor(await signUp(program))).toMatch(`${program.url}/1.1/`)
    const local = await linkFor(await signUp(program, { host: `localhost:${port}` }))
    expect(local).toMatch(`http://localhost:${port}/1.1/`)
    expect(program.output()).not.toContain('--public-url')

    const claims = [
      ...hosts.map((host) => ({ host })),
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      { forwarded: 'host=evil.example;proto=https' },
      { 'x-forwarded-host': 'evil.example', host: 'evil.example' },
    ]
    for (const headers of claims) {
      expect(await linkFor(await signUp(program, headers))).toMatch(`${program.url}/1.1/`)
    }
    const warnings = program
      .output()
      .split('\n')
      .filter((line) => line.includes('--public-url'))
      .map((line) => JSON.parse(line))
    expect(warnings).toEqual([
      expect.objectContaining({
        level: 'warn',
        component: 'http',
        url: program.url,
        msg: 'mail links use the Host header, set --public-url',
      }),
    ])
    expect(await program.stop()).toBe(0)
  })

  it('and with --public-url all links use it, without a warning', async () => {
    const program = await start(home, ['--public-url', 'https://api.example.org/base/'])
    for (const host of ['localhost', ...hosts]) {
      const link = await linkFor(await signUp(program, { host }))
      expect(link).toMatch('https://api.example.org/base/1.1/verifyEmail/')
    }
    expect(program.output()).not.toContain('mail links')
    expect(await program.stop()).toBe(0)
  })

  it('no token of a link appears in the log', async () => {
    const program = await start(home, [])
    const tokens = [await signUp(program), await signUp(program, { host: 'evil.example' })].map(linkFor)
    for (const token of await Promise.all(tokens)) {
      expect(program.output()).not.toContain(new URL(token).pathname.split('/').at(-1))
    }
    await expect.poll(() => program.output()).toContain('.eml')
  })
})
