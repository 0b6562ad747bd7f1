import { describe, expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull(true)
const { source, target } = pull
const fromSource = ['--files-from', `${source.url}/files/${source.appId}`]

const login = async (username: string, password: string) =>
  (await target.request('POST', '/1.1/login', { body: { username, password } })).body
/** Creates a user in the source with a password hash of the hosted service: `password`. */
async function hostedUser(name: string) {
  const { id } = await source.makeUser(name)
  await setHash(id, 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==')
  return id
}
const setHash = (id: string, hash: string) =>
  source.sql(`UPDATE "$credentials" SET password = $2 WHERE user_id = $1`, [
    id,
    `$sha512-512$h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2$${hash}`,
  ])

describe('the passwords and session tokens of users', { timeout: 180_000 }, () => {
  test('come from an export requested from the source, and later changes here stay', async () => {
    const ann = await hostedUser('ann')
    await hostedUser('bob')
    const cat = await hostedUser('cat')
    const damaged = 'A'.repeat(86)
    await setHash(cat, `${damaged}==`)
    expect((await pull.run(...fromSource)).code).toBe(0)
    expect((await pull.report()).counts['logins of users']).toMatchObject({ read: 3, updated: 3, rejected: 0 })
    const tokens = async (app: typeof source) =>
      (await app.sql('SELECT user_id, session_token FROM "$credentials" ORDER BY 1')).rows
    expect(await tokens(target)).toEqual(await tokens(source))
    expect((await login('bob', 'password')).sessionToken).toEqual(expect.any(String))
    // Sets a password unknown to the source.
    await target.request('PUT', `/1.1/users/${ann}`, { master: true, body: { password: 'set here' } })
    // An imported password is replaced by that of the source.
    await hostedUserAgain(cat)
    expect((await pull.run(...fromSource)).code).toBe(0)
    expect((await login('ann', 'set here')).objectId).toBe(ann)
    expect((await login('cat', 'password')).objectId).toBe(cat)
  })

  test('are reported missing when the source offers no export', async () => {
    pull.proxy.misbehave((path) => (path.startsWith('/1.1/exportData') ? 'expired' : undefined))
    const { code, stdout } = await pull.run()
    expect([code, stdout]).toEqual([0, expect.stringMatching(/were not pulled: .*--users <export.tar.gz>/s)])
    pull.proxy.misbehave(() => undefined)
  })

  test('come from an export by its URL, which can contain other data', async () => {
    const dan = await hostedUser('dan')
    await pull.fill('Note', [{ objectId: 'note', n: 1 }])
    const { body } = await source.request('POST', '/1.1/exportData', { master: true, body: {} })
    const task = async () => (await source.request('GET', `/1.1/exportData/${body.id}`, { master: true })).body
    await expect.poll(async () => (await task()).status, { timeout: 60_000 }).toBe('done')
    const { download_url: url } = await task()
    const { code, stdout, stderr } = await pull.run('--no-messages', '--users', url)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    expect((await login('dan', 'password')).objectId).toBe(dan)
    expect(stdout + stderr).not.toContain(new URL(url).pathname.split('/').at(-2))
  })
})

async function hostedUserAgain(id: string) {
  await setHash(id, 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==')
}
