import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from '../support/command.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'

describe('backup of a killed server', () => {
  it('never looks complete, is reported as failed, and is removed by the next backup', async () => {
    const home = makeHome(onTestFinished)
    const target = join(home.directory, 'backups')
    const options = ['--backup-url', `file://${target}`]
    const first = await home.start(options)
    await fill(home, 40_000)
    expect((await admin(home.data, first.url, 'POST')).status).toBe(202)
    await expect.poll(() => existsSync(target) && readdirSync(target).length, { interval: 5 }).toBe(1)
    await expect
      .poll(() => readdirSync(join(target, readdirSync(target)[0]!)), { interval: 5 })
      .toContain('database.tar.gz.part')
    await first.kill()
    const [half] = readdirSync(target)
    expect(readdirSync(join(target, half!))).not.toContain('manifest.json')
    expect(await runCommand(['restore', join(target, half!), '--data', join(home.directory, 'r')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a complete backup'),
    })

    const second = await home.start(options)
    const listed = (await (await admin(home.data, second.url, 'GET')).json()) as { backups: object[] }
    expect(listed.backups).toMatchObject([
      { name: half, isStored: false, run: { state: 'failed', error: 'The server ended during the backup.' } },
    ])
    expect(await runCommand(['backup', '--data', home.data])).toMatchObject({ code: 0 })
    const names = readdirSync(target)
    expect(names).toHaveLength(1)
    expect(names).not.toContain(half)
  })
})

describe('backup of a stopped server', () => {
  it('is made of its data directory', async () => {
    const home = makeHome(onTestFinished)
    await (await home.start()).stop()
    const made = await runCommand(['backup', join(home.directory, 'elsewhere'), '--data', home.data])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/checked: \d+ tables/) })
    expect(readdirSync(join(home.directory, 'elsewhere'))).toHaveLength(1)
    expect(existsSync(join(home.data, 'server.lock'))).toBe(false)
    expect(home.postmaster()).toBeNull()
  })
})

describe('backup with an external database', () => {
  it('contains keys and files, and names the tools for the database', async () => {
    const home = makeHome(onTestFinished)
    const databaseUrl = await newDatabase()
    await home.start(['--database-url', databaseUrl])
    const made = await runCommand(['backup', '--data', home.data])
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/pg_dump[\s\S]*pg_basebackup[\s\S]*pgbackrest/),
    })
    const [name] = readdirSync(join(home.data, 'backups'))
    const manifest = JSON.parse(readFileSync(join(home.data, 'backups', name!, 'manifest.json'), 'utf8')) as object
    expect(manifest).toMatchObject({ database: null, files: true })
    const restored = join(home.directory, 'restored')
    const done = await runCommand(['restore', join(home.data, 'backups', name!), '--data', restored])
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Restore the external database') })
    const token = (data: string) => readFileSync(join(data, 'admin-token'), 'utf8')
    expect(token(restored)).toBe(token(home.data))
  })
})

describe.skipIf(process.platform === 'win32')('restore to a point in time', () => {
  it('contains the writes before it, and not those after it', async () => {
    const home = makeHome(onTestFinished)
    const target = join(home.directory, 'backups')
    const server = await home.start(['--backup-url', `file://${target}`, '--wal-archive', 'on'])
    expect(await runCommand(['backup', '--data', home.data])).toMatchObject({ code: 0 })
    const client = await home.connect()
    await client.query('CREATE TABLE public.mark (at text)')
    await client.query("INSERT INTO mark VALUES ('before')")
    const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const time = new Date(rows[0]!.now.getTime() + 1)
    await client.query('SELECT pg_sleep(0.01)')
    await client.query("INSERT INTO mark VALUES ('after')")
    await client.query('SELECT pg_switch_wal()')
    const wal = () => readdirSync(target).find((name) => name.startsWith('wal-'))
    const { rows: segments } = await client.query<{ name: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS name',
    )
    const current = segments[0]!.name
    const archived = () => (wal() ? readdirSync(join(target, wal()!)).filter((name) => name < current) : [])
    await expect.poll(() => archived().length, { timeout: 60_000 }).toBeGreaterThan(0)
    await expect.poll(() => archived().at(-1)?.slice(0, 24), { timeout: 60_000 }).toBe(before(current))

    const marks = async (to: string, into: string) => {
      const restored = makeHome(onTestFinished)
      const data = join(restored.directory, 'data')
      const done = await runCommand(['restore', target, '--to', to, '--data', data])
      expect(done.stderr, into).toBe('')
      await restored.start()
      const copy = await restored.connect()
      return (await copy.query<{ at: string }>('SELECT at FROM public.mark ORDER BY at')).rows.map(({ at }) => at)
    }
    expect(await marks(time.toISOString(), 'time')).toEqual(['before'])
    expect(await marks('latest', 'latest')).toEqual(['after', 'before'])
    expect(
      await runCommand(['restore', target, '--to', '2000-01-01', '--data', join(home.directory, 'x')]),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('contains no complete backup that ended before'),
    })
    await server.stop()
  })
})

describe.skipIf(!canMount)('backup on a small disk', () => {
  it('fails with the reason when the target is full, and leaves nothing there', async () => {
    const home = makeHome(onTestFinished)
    const target = join(home.directory, 'small')
    const disk = mountSmallDisk(target, 4)
    onTestFinished(() => disk.unmount())
    await home.start(['--backup-url', `file://${target}`, '--disk-reserve', '0'])
    const made = await runCommand(['backup', '--data', home.data])
    expect(made).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOSPC/) })
    expect(readdirSync(target)).toEqual([])
  })
})

/** Adds rows that do not compress well. */
async function fill(home: ReturnType<typeof makeHome>, rows: number): Promise<void> {
  const client = await home.connect()
  await client.query(`
    CREATE TABLE public.filler AS
    SELECT string_agg(md5(random()::text), '') AS text FROM generate_series(1, ${rows * 20}) AS n GROUP BY n / 20`)
}

async function admin(data: string, url: string, method: string): Promise<Response> {
  const authorization = `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}`
  const body = method === 'POST' ? { body: '{}' } : {}
  return fetch(`${url}/admin/backups`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...body,
  })
}

/** Returns the WAL segment before another one of the same log file. */
function before(segment: string): string {
  const number = Number.parseInt(segment.slice(16), 16) - 1
  return segment.slice(0, 16) + number.toString(16).toUpperCase().padStart(8, '0')
}
