import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { MAIN, type Program, runProgram } from '../support/program.ts'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()

test.skipIf(!canMount)(
  'an import without space for its report fails with a message, and resumes with the same command',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'homeport-test-'))
    const disk = mountSmallDisk(join(root, 'small'), 1)
    onTestFinished(() => {
      disk.unmount()
      rmSync(root, { recursive: true })
    })
    const lines = Array.from({ length: 3000 }, (_, n) => ({ n: n < 1500 ? n : 'x'.repeat(2000) }))
    const path = await target.file('Narrow.0.jsonl', exportFile('Narrow', lines))
    const args = ['--report', join(root, 'small', 'report'), path]
    const full = await target.run(...args)
    expect(full.code).toBe(1)
    expect(full.stderr).toContain(
      'rejected.jsonl cannot be written: the disk is full; run the same command again to resume',
    )
    expect(full.stderr).not.toContain(' at ')
    disk.grow(20)
    const whole = await target.run(...args)
    expect(whole.code).toBe(3)
    expect(whole.stdout).toContain('1500 records were rejected.')
    expect(await target.app.sql('SELECT count(*)::int AS n FROM "Narrow"')).toMatchObject({ rows: [{ n: 1500 }] })
  },
  120_000,
)

const FULL = { appId: 'full', appKey: 'full-key', masterKey: 'full-master-key', token: 'token-of-the-full-one' }
const MEGABYTE = 1024 ** 2
/** Timeout of a run on a busy machine, in milliseconds. */
const TIMEOUT_MS = 120_000

test.skipIf(!canMount)(
  'an import that filled the database disk resumes when space is available, without loss or duplicates',
  async () => {
    const ends: (() => Promise<void>)[] = []
    const home = makeHome((end) => ends.push(end))
    const disk = mountSmallDisk(home.data, 400)
    let program: Program | undefined
    onTestFinished(async () => {
      if (program && isRunning(program)) await program.stop()
      disk.unmount()
      for (const end of ends) await end()
    })
    program = await home.start([], {
      HOMEPORT_APP_ID: FULL.appId,
      HOMEPORT_APP_KEY: FULL.appKey,
      HOMEPORT_MASTER_KEY: FULL.masterKey,
      HOMEPORT_ADMIN_TOKEN: FULL.token,
    })
    const { url } = program
    const filler = join(home.data, 'filler')
    const { bavail, bsize } = statfsSync(home.data)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 24 * MEGABYTE))
    // Records without ids reveal duplicate writes.
    const lines = Array.from({ length: 16_000 }, (_, n) => ({ n, text: randomBytes(1500).toString('base64') }))
    const path = await target.file('Wide.0.jsonl', exportFile('Wide', lines))
    const args = ['import', '--app', FULL.appId, '--url', url, '--report', `${target.folder}/.full`, path]
    const environment = { HOMEPORT_ADMIN_TOKEN: FULL.token }
    const first = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...environment }, stdio: 'ignore' })
    const ended = once(first, 'exit')
    const health = async () => (await call(url, 'GET', '/health', {}, undefined)).status
    await expect.poll(health, { timeout: TIMEOUT_MS }).toBe(503)
    first.kill('SIGKILL')
    await ended

    rmSync(filler)
    await expect.poll(health, { timeout: TIMEOUT_MS }).toBe(200)
    const { code, stdout } = await runProgram(args, environment, undefined, TIMEOUT_MS)
    expect([code, stdout]).toEqual([0, expect.stringContaining('resumed after record')])
    const headers = { 'x-lc-id': FULL.appId, 'x-lc-key': `${FULL.masterKey},master` }
    const numbers = new Set<number>()
    for (let after = -1; after < lines.length - 1; after += 1000) {
      const where = encodeURIComponent(JSON.stringify({ n: { $gt: after } }))
      const query = `where=${where}&order=n&limit=1000&keys=n`
      for (const { n } of (await call(url, 'GET', `/1.1/classes/Wide?${query}`, headers, undefined)).body.results)
        numbers.add(n)
    }
    const { count } = (await call(url, 'GET', '/1.1/classes/Wide?count=1&limit=0', headers, undefined)).body
    expect([count, numbers.size]).toEqual([lines.length, lines.length])
  },
  400_000,
)
