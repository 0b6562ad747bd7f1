import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const home = makeHome(afterAll)
const server = await home.start(['--database-url', await newDatabase()])
const app = (...args: string[]) => runCommand(['app', ...args, '--data', home.data])
const json = async (...args: string[]) => JSON.parse((await app(...args, '--json')).stdout)

const tryKey = async (appId: string, key: string) =>
  (await call(server.url, 'GET', '/1.1/classes/_Role', { 'x-lc-id': appId, 'x-lc-key': key }, undefined)).status

describe('homeport app, with a running server on the data directory', { timeout: 60_000 }, () => {
  test('create prints working keys; list and show include the app', async () => {
    const made = await json('create', 'shop', '--owner-email', 'owner@example.org')
    expect(made).toMatchObject({ name: 'shop', ownerEmail: 'owner@example.org' })
    expect(await tryKey(made.appId, made.appKey)).toBe(200)
    expect(await tryKey(made.appId, `${made.masterKey},master`)).toBe(200)

    const { stdout } = await app('list')
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(stdout).toMatch(new RegExp(`^${made.appId} .+ shop$`, 'm'))
    expect(stdout).not.toContain(made.appKey)

    const shown = await app('show', made.appId)
    for (const text of [
      made.appId,
      made.appKey,
      made.masterKey,
      made.hookKey,
      'owner@example.org',
      'returnAclInQueries',
    ])
      expect(shown.stdout).toContain(text)
    expect(await json('show', made.appId)).toMatchObject({
      ...made,
      settings: { storage: { returnAclInQueries: false } },
    })
  })

  test('set changes one setting and prints all', async () => {
    const { appId } = await json('create')
    const { code, stdout } = await app('set', appId, 'storage.returnAclInQueries', 'true')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).storage).toEqual({ returnAclInQueries: true, clientClassCreation: true })
    const wrong = await app('set', appId, 'storage.nonsense', 'true')
    expect([wrong.code, wrong.stdout]).toEqual([1, ''])
    expect(wrong.stderr).toMatch(/^homeport: .*nonsense.*\n$/)
  })

  test('rotate-keys: the old keys stop working at once', async () => {
    const before = await json('create', 'rotated')
    expect(await tryKey(before.appId, before.appKey)).toBe(200)
    const after = await json('rotate-keys', before.appId)
    expect(await tryKey(before.appId, before.appKey)).toBe(401)
    expect(await tryKey(before.appId, `${before.masterKey},master`)).toBe(401)
    expect(await tryKey(before.appId, after.appKey)).toBe(200)
    expect(
      new Set([before.appKey, before.masterKey, before.hookKey, after.appKey, after.masterKey, after.hookKey]).size,
    ).toBe(6)
  })

  test('reports an unknown app and a missing argument in one line', async () => {
    // As a separate process, to test its output and exit code.
    const show = (...args: string[]) => runProgram(['app', 'show', ...args, '--data', home.data])
    expect(await show('nobody')).toEqual({
      code: 1,
      stdout: '',
      stderr: "homeport: App 'nobody' not found.\n",
    })
    expect(await show()).toEqual({ code: 2, stdout: '', stderr: "homeport: missing required argument 'appId'\n" })
  })

  test('with --url it uses a remote server, with the token in HOMEPORT_ADMIN_TOKEN', async () => {
    const args = ['app', 'list', '--url', `${server.url}/`]
    const token = { HOMEPORT_ADMIN_TOKEN: 'no-such-token-at-all' }
    expect(await runCommand(args, token)).toEqual({ code: 1, stdout: '', stderr: 'homeport: Unauthorized.\n' })
    const without = await runCommand(args)
    expect(without.code).toBe(1)
    expect(without.stderr).toMatch(/^homeport: set HOMEPORT_ADMIN_TOKEN .*\n$/)
  })
})

describe('without a running server', () => {
  test('reports it in one line', async () => {
    const nowhere = makeHome(onTestFinished)
    const { code, stdout, stderr } = await runCommand(['app', 'list', '--data', nowhere.data])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `homeport: no server is running on ${nowhere.data}; start it, or select another server with --data or --url\n`,
    )
  })

  test('reports an unreachable URL', async () => {
    const { code, stdout, stderr } = await runCommand(['app', 'list', '--url', 'http://127.0.0.1:9'], {
      HOMEPORT_ADMIN_TOKEN: 'token-of-nobody-at-all',
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^homeport: .*http:\/\/127\.0\.0\.1:9.*\n$/)
  })
})
