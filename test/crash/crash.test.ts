import { describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { type Home, isRunning, makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { audit, type Target, Writers } from './writers.ts'

const CREDENTIALS = { appId: 'crash', appKey: 'crash-app-key', masterKey: 'crash-master-key' }
const ENVIRONMENT = {
  HOMEPORT_APP_ID: CREDENTIALS.appId,
  HOMEPORT_APP_KEY: CREDENTIALS.appKey,
  HOMEPORT_MASTER_KEY: CREDENTIALS.masterKey,
}

const start = (home: Home) => home.start([], ENVIRONMENT)

async function writersOn(home: Home): Promise<{ program: Program; target: Target; writers: Writers }> {
  const program = await start(home)
  const target = { url: program.url, ...CREDENTIALS }
  const writers = await Writers.start(target)
  onTestFinished(() => writers.stop())
  await writers.acknowledge(500)
  return { program, target, writers }
}

/** Resolves when the server says that it can serve. */
async function healthy(url: string): Promise<void> {
  await expect
    .poll(async () => (await call(url, 'GET', '/health', {}, undefined)).status, { timeout: 30_000 })
    .toBe(200)
}

describe('kill -9 during 64 concurrent writers', { timeout: 60_000 }, () => {
  test('of the server: after a restart every acknowledged write is there', async () => {
    const home = makeHome(onTestFinished)
    const { program, target, writers } = await writersOn(home)
    await program.kill()
    await expect.poll(() => writers.ledger.unanswered).toBeGreaterThan(0)
    await writers.stop()
    target.url = (await start(home)).url
    expect(await audit(target, writers.ledger)).toEqual([])
    // The next writers meet a sound server.
    const next = await Writers.start(target)
    await next.acknowledge(200)
    await next.stop()
    expect(next.ledger.violations).toEqual([])
    expect(Object.fromEntries(next.ledger.failures)).toEqual({})
  })

  test('of the server and its database: after a restart every acknowledged write is there', async () => {
    const home = makeHome(onTestFinished)
    const { program, target, writers } = await writersOn(home)
    const postmaster = home.postmaster()!
    process.kill(postmaster, 'SIGKILL')
    await program.kill()
    await writers.stop()
    target.url = (await start(home)).url
    expect(await audit(target, writers.ledger)).toEqual([])
  })

  test('of the database: requests are refused with 503 and 511 until it is back by itself', async () => {
    const home = makeHome(onTestFinished)
    const { program, target, writers } = await writersOn(home)
    const postmaster = home.postmaster()!
    process.kill(postmaster, 'SIGKILL')
    await expect.poll(() => writers.ledger.failures.get('503 511') ?? 0).toBeGreaterThan(0)
    await healthy(program.url)
    await writers.acknowledge(500)
    await writers.stop()
    expect(home.postmaster()).not.toBe(postmaster)
    expect(isRunning(program)).toBe(true)
    expect(await audit(target, writers.ledger)).toEqual([])
    expect(new Set(writers.ledger.failures.keys())).toEqual(new Set(withoutOrdinary(writers)))
    expect(writers.ledger.unanswered).toBe(0)
    expect(program.output()).not.toContain('request failed unexpectedly')
  })

  test('of one backend of the database: service resumes and nothing acknowledged is lost', async () => {
    const home = makeHome(onTestFinished)
    const { program, target, writers } = await writersOn(home)
    const client = await home.connect()
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'homeport' ORDER BY query_start DESC LIMIT 1",
    )
    process.kill(rows[0]!.pid, 'SIGKILL')
    await expect.poll(() => writers.ledger.failures.size).toBeGreaterThan(0)
    await healthy(program.url)
    await writers.acknowledge(500)
    await writers.stop()
    expect(isRunning(program)).toBe(true)
    expect(await audit(target, writers.ledger)).toEqual([])
    expect(new Set(writers.ledger.failures.keys())).toEqual(new Set(withoutOrdinary(writers)))
    expect(writers.ledger.unanswered).toBe(0)
    expect(program.output()).not.toContain('request failed unexpectedly')
  })
})

/** The failures that an outage may show: 511, alone and in batches, and 305 of an update that had been made already. */
function withoutOrdinary(writers: Writers): string[] {
  const ordinary = ['503 511', 'item 511', '400 305']
  return [...writers.ledger.failures.keys()].filter((name) => ordinary.includes(name))
}
