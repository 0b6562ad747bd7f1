import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'

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

describe('HOMEPORT_APP_ID, HOMEPORT_APP_KEY, HOMEPORT_MASTER_KEY and HOMEPORT_HOOK_KEY', { timeout: 60_000 }, () => {
  const home = makeHome(afterAll)
  const token = 'token-of-the-administrator'
  const start = (keys: Record<string, string>) =>
    home.start([], { HOMEPORT_ADMIN_TOKEN: token, HOMEPORT_APP_ID: 'Migrated-gzGzoHsz', ...keys })
  const keys = {
    HOMEPORT_APP_KEY: 'the-app-key-it-had',
    HOMEPORT_MASTER_KEY: 'the-master-key-it-had',
    HOMEPORT_HOOK_KEY: 'the-hook-key-it-had',
  }

  test('create exactly that app, and keep it across restarts', async () => {
    for (const round of [1, 2]) {
      const program = await start(keys)
      expect(program.output(), String(round)).toMatch(new RegExp(`Homeport is ready at ${program.url}\n$`))
      expect(program.output()).not.toContain('App key')
      expect(await listApps(program.url, token)).toEqual([
        expect.objectContaining({
          appId: 'Migrated-gzGzoHsz',
          appKey: 'the-app-key-it-had',
          masterKey: 'the-master-key-it-had',
          hookKey: 'the-hook-key-it-had',
        }),
      ])
      expect(await tryKeys(program.url, 'Migrated-gzGzoHsz', 'the-app-key-it-had')).toBe(201)
      await program.stop()
    }
  })

  test('changed keys take effect; the hook key and the data stay when omitted', async () => {
    const program = await start({ HOMEPORT_APP_KEY: 'another-app-key', HOMEPORT_MASTER_KEY: 'another-master-key' })
    expect(await tryKeys(program.url, 'Migrated-gzGzoHsz', 'the-app-key-it-had')).toBe(401)
    expect(await tryKeys(program.url, 'Migrated-gzGzoHsz', 'the-master-key-it-had,master')).toBe(401)
    expect(await tryKeys(program.url, 'Migrated-gzGzoHsz', 'another-app-key')).toBe(201)
    expect(await tryKeys(program.url, 'Migrated-gzGzoHsz', 'another-master-key,master')).toBe(201)
    expect((await listApps(program.url, token))[0].hookKey).toBe('the-hook-key-it-had')
    const master = { 'x-lc-id': 'Migrated-gzGzoHsz', 'x-lc-key': 'another-master-key,master' }
    const { body } = await call(program.url, 'GET', '/1.1/classes/Post?count=1&limit=0', master, undefined)
    expect(body.count).toBe(4)
    await program.stop()
  })
})

test('a start without app keys keeps the existing app of the directory', async () => {
  const home = makeHome(onTestFinished)
  const environment = {
    HOMEPORT_APP_ID: 'first',
    HOMEPORT_APP_KEY: 'first-app-key',
    HOMEPORT_MASTER_KEY: 'first-master-key',
  }
  await (await home.start([], environment)).stop()
  const program = await home.start()
  expect(program.output()).toBe(`Homeport is ready at ${program.url}\n`)
  expect(await tryKeys(program.url, 'first', 'first-app-key')).toBe(201)
})
