import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifySync } from '@node-rs/argon2'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { launchProgram, type Program } from '../support/program.ts'

const listApps = async (url: string, adminToken: string) =>
  (await call(url, 'GET', '/admin/apps', { authorization: `Bearer ${adminToken}` }, undefined)).body.apps

/** Creates an object with these keys and returns the status. */
const tryKeys = async (url: string, appId: string, key: string) =>
  (
    await call(
      url,
      'POST',
      '/1.1/classes/Post',
      { 'x-lc-id': appId, 'x-lc-key': key, 'content-type': 'application/json' },
      {},
    )
  ).status

const useLink = async (url: string, token: string) =>
  (await call(url, 'POST', '/admin/login/link', { 'content-type': 'application/json' }, { token })).status

describe('on an empty data directory', { timeout: 60_000 }, () => {
  const home = makeHome(afterAll, { fresh: true })

  /** Starts the program without the cheap password hashes of `home.start`. */
  async function startUnchanged(): Promise<Program> {
    const environment = { HOMEPORT_DATA: home.data, HOMEPORT_SHUTDOWN_DELAY: '0', HOMEPORT_LOG_LEVEL: 'warn' }
    const program = await launchProgram(['start', '--port', '0', '--host', '127.0.0.1'], environment)
    onTestFinished(async () => {
      if (isRunning(program)) await program.stop()
    })
    return program
  }

  /** Expects that passwords are stored as argon2id with 19 MiB and 2 passes, and can be used to log in. */
  async function expectStoredAsArgon2id(url: string, { appId, appKey }: Readonly<Record<string, string>>) {
    const headers = { 'x-lc-id': appId!, 'x-lc-key': appKey!, 'content-type': 'application/json' }
    const user = { username: 'ann', password: 'correct horse' }
    expect((await call(url, 'POST', '/1.1/users', headers, user)).status).toBe(201)
    const { rows } = await (await home.connect()).query(`SELECT password FROM "app_${appId}"."$credentials"`)
    expect(rows).toEqual([{ password: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) }])
    expect(verifySync(rows[0].password, user.password)).toBe(true)
    expect((await call(url, 'POST', '/1.1/login', headers, user)).status).toBe(200)
  }

  test('the first start creates an app and prints its keys, a working curl line, and a one-time login link', async () => {
    const program = await home.start()
    const output = program.output()
    expect(output.trimEnd().split('\n').at(-1)).toBe(`Homeport is ready at ${program.url}`)
    const [, appId] = /App ID +(\S+)/.exec(output)!
    const [, appKey] = /App key +(\S+)/.exec(output)!
    const [, masterKey] = /Master key +(\S+)/.exec(output)!
    expect(await tryKeys(program.url, appId!, appKey!)).toBe(201)
    expect(await tryKeys(program.url, appId!, `${masterKey},master`)).toBe(201)
    expect(await tryKeys(program.url, appId!, `${appKey},master`)).toBe(401)

    const line = output.slice(output.indexOf('curl ')).split('\n\n')[0]!
    const answer = hasCurl() ? runLine(line) : await runWithoutCurl(line)
    expect(answer).toEqual({
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const master = { 'x-lc-id': appId!, 'x-lc-key': `${masterKey},master` }
    const stored = await call(program.url, 'GET', `/1.1/classes/Post/${answer.objectId}`, master, undefined)
    expect(stored.body.title).toBe('Hello')
    const [, token] = new RegExp(`${program.url}/console/enter#(\\S+)`).exec(output)!
    expect(await useLink(program.url, token!)).toBe(200)
    expect(await useLink(program.url, token!)).toBe(401)
    expect(await program.stop()).toBe(0)
  })

  test('the second start creates none, prints one line with the URL, keeps the administrator token and hashes passwords with argon2id', async () => {
    const file = join(home.data, 'admin-token')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = readFileSync(file, 'utf8')
    const program = await startUnchanged()
    expect(program.output()).toBe(`Homeport is ready at ${program.url}\n`)
    expect(readFileSync(file, 'utf8')).toBe(token)
    const apps = await listApps(program.url, token.trim())
    expect(apps).toHaveLength(1)
    await expectStoredAsArgon2id(program.url, apps[0])
    expect(await program.stop()).toBe(0)
  })

  test('HOMEPORT_ADMIN_TOKEN overrides the token in the file', async () => {
    const written = readFileSync(join(home.data, 'admin-token'), 'utf8').trim()
    const program = await home.start([], { HOMEPORT_ADMIN_TOKEN: 'a-token-from-the-environment' })
    const status = async (token: string) =>
      (await call(program.url, 'GET', '/admin/apps', { authorization: `Bearer ${token}` }, undefined)).status
    expect(await status(written)).toBe(401)
    expect(await status('a-token-from-the-environment')).toBe(200)
  })
})

function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).status === 0
}

function runLine(line: string): { objectId: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

/** Parses the line as a shell would, where curl is not installed. */
async function runWithoutCurl(line: string): Promise<{ objectId: string }> {
  const words = [...line.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain!,
  )
  const after = (flag: string) => words.filter((_, index) => words[index - 1] === flag)
  const headers = Object.fromEntries(after('-H').map((text) => text.split(': ') as [string, string]))
  const { origin, pathname } = new URL(words.at(-1)!)
  return (await call(origin, after('-X')[0]!, pathname, headers, after('-d')[0])).body
}
