import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const home = makeHome(afterAll)
const server = await home.start(['--database-url', await newDatabase()])
const administrator = (...args: string[]) => runCommand(['administrator', ...args, '--data', home.data])

/**
 * Uses the link in the output of a command.
 * @returns the HTTP status
 */
async function enter(output: string): Promise<number> {
  const [, token] = /\/console\/enter#(\S+)/.exec(output)!
  return (await call(server.url, 'POST', '/admin/login/link', { 'content-type': 'application/json' }, { token })).status
}

describe('homeport administrator', () => {
  test('link logs in the only administrator, and replaces the link printed at the start', async () => {
    const { code, stdout } = await administrator('link')
    expect(code).toBe(0)
    expect(await enter(server.output())).toBe(401)
    expect(await enter(stdout)).toBe(200)
  })

  test('add, list and remove', async () => {
    const added = await administrator('add', 'Mei', '--role', 'reader')
    expect(await enter(added.stdout)).toBe(200)
    expect((await administrator('list')).stdout).toMatch(/^owner +owner\nreader +Mei\n$/)
    expect((await administrator('link')).stdout).toContain("logs in as 'owner' once")
    await administrator('add', 'Lan', '--role', 'owner')
    const unnamed = await administrator('link')
    expect(unnamed.code).toBe(1)
    expect(unnamed.stderr).toBe("homeport: name one of the administrators: 'owner', 'Mei', 'Lan'\n")
    expect((await administrator('remove', 'Mei')).code).toBe(0)
    expect((await administrator('remove', 'Lan')).code).toBe(0)
    expect((await administrator('list')).stdout).not.toContain('Mei')
  })

  test('homeport console-link prints a link for the owner', async () => {
    const { code, stdout } = await runCommand(['console-link', '--data', home.data])
    expect(code).toBe(0)
    expect(stdout).toContain("logs in as 'owner' once")
    expect(await enter(stdout)).toBe(200)
    const unknown = await runCommand(['console-link', 'Wu', '--data', home.data])
    expect(unknown).toMatchObject({ code: 1, stderr: "homeport: name one of the administrators: 'owner'\n" })
  })

  test('homeport keys shows the keys that the start printed', async () => {
    const [, appId] = /App ID +(\S+)/.exec(server.output())!
    const [, masterKey] = /Master key +(\S+)/.exec(server.output())!
    const { code, stdout } = await runCommand(['keys', '--data', home.data])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^App ID +${appId}\\n[^]*\\nMaster key +${masterKey}\\n`))
    const shown = await runCommand(['keys', '--json', '--app', appId!, '--data', home.data])
    expect(JSON.parse(shown.stdout)).toMatchObject([{ appId, masterKey }])
    const missing = await runCommand(['keys', '--app', 'none', '--data', home.data])
    expect(missing).toMatchObject({ code: 1, stdout: '', stderr: "homeport: app 'none' not found\n" })
  })

  test('rejects an unknown role', async () => {
    const { code, stderr } = await administrator('add', 'Lin', '--role', 'king')
    expect(code).toBe(1)
    expect(stderr).toContain('role')
  })
})
