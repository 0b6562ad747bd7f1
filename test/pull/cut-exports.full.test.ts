import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'
import { makePull } from './pulls.ts'

const USERS = 300

const pull = await makePull(true)
const { source, target, proxy } = pull
const folder = mkdtempSync(join(tmpdir(), 'homeport-pull-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The URL of the source's export, through the proxy. */
let url = ''

beforeAll(async () => {
  // Incompressible: 2 MB.
  const user = (_: unknown, n: number) => ({
    objectId: `u${String(n).padStart(4, '0')}`,
    username: `user${n}`,
    salt: 'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2',
    password: createHash('sha512').update(String(n)).digest('base64'),
    filling: randomBytes(5000).toString('base64'),
  })
  await pull.fill('_User', Array.from({ length: USERS }, user))
  const { body } = await source.request('POST', '/1.1/exportData', { master: true, body: {} })
  const task = async () => (await source.request('GET', `/1.1/exportData/${body.id}`, { master: true })).body
  const isDone = async () => (await task()).status === 'done'
  await vi.waitUntil(isDone, { timeout: 60_000, interval: 100 })
  url = (await task()).download_url.replace(source.url, proxy.url)
}, 120_000)

async function loginsHere(): Promise<number> {
  const { rows } = await target.sql('SELECT count(password)::int AS n FROM "$credentials"')
  return rows[0].n
}

/** Removes the passwords of the target's users and the record of imported exports. */
async function forget(): Promise<void> {
  await target.sql('DELETE FROM "$credentials"')
  await target.sql(`DELETE FROM "$imports" WHERE source LIKE '%.tar.gz'`)
}
const isExport = (path: string) => path.includes('.tar.gz')

describe('an export with the passwords of users', { timeout: 240_000 }, () => {
  test('that is truncated imports the part before the cut and is reported; a complete one imports the rest', async () => {
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer())
    const cut = join(folder, 'cut.tar.gz')
    await writeFile(cut, whole.subarray(0, Math.floor(whole.length / 2)))
    const first = await pull.run('--users', cut)
    expect(first.stdout).toMatch(/were not pulled: the export is damaged: .*truncated/)
    const some = await loginsHere()
    expect(some).toBeGreaterThan(0)
    expect(some).toBeLessThan(USERS)
    const path = join(folder, 'whole.tar.gz')
    await writeFile(path, whole)
    const second = await pull.run('--users', path)
    expect([second.code, second.stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    expect(await loginsHere()).toBe(USERS)
  })

  test('whose download is interrupted resumes', async () => {
    await forget()
    let downloads = 0
    proxy.misbehave((path) => (isExport(path) && ++downloads < 3 ? 'cut in the middle' : undefined))
    const { code, stdout } = await pull.run('--users', `${url}?cut`)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    expect(downloads).toBe(3)
    expect(await loginsHere()).toBe(USERS)
  })

  test('requested from the source resumes its interrupted download, also after a killed pull', async () => {
    await forget()
    let downloads = 0
    let wasCut = () => {}
    const cut = new Promise<void>((resolve) => {
      wasCut = resolve
    })
    proxy.misbehave((path) => {
      if (!isExport(path)) return undefined
      downloads++
      if (downloads > 1) wasCut()
      return downloads < 3 ? 'cut in the middle' : undefined
    })
    const child = pull.begin()
    const ended = once(child, 'exit')
    await Promise.race([cut, ended])
    child.kill('SIGKILL')
    await ended
    const { code, stdout } = await pull.run()
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    expect(downloads).toBeGreaterThan(2)
    expect(await loginsHere()).toBe(USERS)
    // The second pull resumed the same export.
    const asked = proxy.requested.filter((path) => path === '/1.1/exportData')
    expect(asked).toHaveLength(1)
  })

  test.skipIf(!canMount)('without disk space is reported, and completes when space is available', async () => {
    await forget()
    proxy.misbehave(() => undefined)
    const small = join(folder, 'small')
    const disk = mountSmallDisk(small, 1)
    onTestFinished(() => disk.unmount())
    const args = ['--users', `${url}?small`, '--report', join(small, 'report')]
    const full = await pull.run(...args)
    expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/disk is full; run the same command again/)])
    expect(full.stdout + full.stderr).not.toContain(' at ')
    disk.grow(20)
    const { code, stdout } = await pull.run(...args)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    expect(await loginsHere()).toBe(USERS)
    const report = JSON.parse(await readFile(join(small, 'report', 'report.json'), 'utf8'))
    expect(report.counts['logins of users']).toMatchObject({ rejected: 0 })
    // No hashes are left behind.
    const downloads = join(small, 'report', 'downloads')
    expect(existsSync(downloads) ? readdirSync(downloads) : []).toEqual([])
  })
})
