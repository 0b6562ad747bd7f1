import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { choosePostgresUser } from '../../src/database/embedded/postgres-user.ts'
import { call } from '../support/app.ts'
import { isRunning, makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { postgresPrograms, startPostgres } from '../support/replicated-postgres.ts'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'

const VARIABLES = {
  HOMEPORT_APP_ID: 'full',
  HOMEPORT_APP_KEY: 'full-key',
  HOMEPORT_MASTER_KEY: 'full-master-key',
  HOMEPORT_LOG_LEVEL: 'info',
}
const HEADERS = { 'x-lc-id': 'full', 'x-lc-key': 'full-key', 'content-type': 'application/json' }
const MEGABYTE = 1024 ** 2

/** Returns incompressible data. */
const large = () => ({ text: randomBytes(75_000).toString('base64') })

const sender = (program: Program) => (method: string, path: string, body?: unknown) =>
  call(program.url, method, path, HEADERS, body)

/**
 * Creates objects until one is rejected.
 * @returns the rejection
 */
async function fill(send: ReturnType<typeof sender>) {
  for (;;) {
    const reply = await send('POST', '/1.1/classes/Large', large())
    if (reply.status !== 201) return reply
  }
}

it.skipIf(!canMount || postgresPrograms === null)(
  'with a full tablespace disk reads continue, /health and the log report it, and it recovers automatically',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'homeport-test-'))
    chmodSync(root, 0o711)
    const directory = join(root, 'small')
    const disk = mountSmallDisk(directory, 40)
    onTestFinished(() => {
      disk.unmount()
      rmSync(root, { recursive: true })
    })
    const { owner } = choosePostgresUser(null, [join(postgresPrograms!, 'postgres'), root])
    if (owner) chownSync(directory, owner.uid, owner.gid)
    const postgres = await startPostgres(onTestFinished)
    await postgres.query(`CREATE TABLESPACE small LOCATION '${directory}'`)
    await postgres.query('CREATE DATABASE small TABLESPACE small')
    const url = new URL(postgres.url)
    url.pathname = '/small'
    const program = await makeHome(onTestFinished).start(['--database-url', url.href], VARIABLES)
    const send = sender(program)
    const { body: kept } = await send('POST', '/1.1/classes/Kept', { n: 1 })

    const full = { status: 503, body: { code: 511, error: expect.stringContaining('disk') } }
    expect(await fill(send)).toMatchObject(full)
    for (let n = 0; n < 20; n++) expect(await send('POST', '/1.1/classes/Large', large())).toMatchObject(full)
    expect((await send('GET', `/1.1/classes/Kept/${kept.objectId}`)).body.n).toBe(1)
    expect((await send('GET', '/1.1/classes/Large?limit=1&keys=objectId')).body.results).toHaveLength(1)
    expect(await send('GET', '/health')).toMatchObject({ status: 503, body: { database: 'disk-full', code: 511 } })

    disk.grow(200)
    await expect.poll(async () => (await send('GET', '/health')).status).toBe(200)
    expect((await send('POST', '/1.1/classes/Large', large())).status).toBe(201)
    expect(program.output().match(/the disk of the database is full/g)).toHaveLength(1)
    expect(program.output().match(/has space again/g)).toHaveLength(1)
    expect(program.output()).not.toContain('request failed unexpectedly')
  },
  90_000,
)

it.skipIf(!canMount)(
  'a server with a full data directory recovers when space is available',
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
    program = await home.start([], VARIABLES)
    const send = sender(program)
    const { body: kept } = await send('POST', '/1.1/classes/Kept', { n: 1 })
    // Leaves little space, also for the WAL, without which the database cannot run.
    const filler = join(home.data, 'filler')
    const { bavail, bsize } = statfsSync(home.data)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 4 * MEGABYTE))

    expect(await fill(send)).toMatchObject({ status: 503, body: { code: 511 } })
    expect((await send('GET', '/health')).status).toBe(503)
    expect(isRunning(program)).toBe(true)

    rmSync(filler)
    await expect.poll(async () => (await send('GET', '/health')).status, { timeout: 60_000 }).toBe(200)
    expect((await send('POST', '/1.1/classes/Large', large())).status).toBe(201)
    expect((await send('GET', `/1.1/classes/Kept/${kept.objectId}`)).body.n).toBe(1)
    expect(program.output()).not.toContain('request failed unexpectedly')
  },
  90_000,
)
