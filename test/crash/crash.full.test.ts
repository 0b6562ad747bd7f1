import { describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { Api } from './campaign/api.ts'
import { possibleShapes, runCampaign } from './campaign/campaign.ts'
import { ObjectWriters } from './campaign/object-writers.ts'
import { FaultLog } from './campaign/trouble.ts'
import { differencesIn, ENVIRONMENT, extraordinary, WRITERS, writersOn } from './writing.ts'

/** Resolves when the server reports that it is healthy. */
async function healthy(url: string): Promise<void> {
  await expect
    .poll(async () => (await call(url, 'GET', '/health', {}, undefined)).status, { timeout: 60_000 })
    .toBe(200)
}

describe('kill -9 during 64 concurrent writers', { timeout: 120_000 }, () => {
  test('of the server: every acknowledged write exists after a restart', async () => {
    const home = makeHome(onTestFinished)
    const writing = await writersOn(home)
    const { program, target, api, writers } = writing
    await program.kill()
    await expect.poll(() => api.faults.unanswered).toBeGreaterThan(0)
    await writers.stop()
    target.url = (await home.start([], ENVIRONMENT)).url
    expect(await differencesIn(writing)).toEqual([])
    // The next writers start on a healthy server.
    const nextApi = new Api(api.server, new FaultLog())
    const next = await ObjectWriters.start(nextApi, 2, WRITERS)
    await next.acknowledge(200)
    await next.stop()
    expect(await differencesIn({ api: nextApi, writers: next })).toEqual([])
    expect(extraordinary({ api: nextApi })).toEqual([])
  })

  test('of the database: rejects requests with 503 and 511 until it has recovered automatically', async () => {
    const home = makeHome(onTestFinished)
    const writing = await writersOn(home)
    const { program, api, writers } = writing
    const postmaster = home.postmaster()!
    process.kill(postmaster, 'SIGKILL')
    await expect.poll(() => api.faults.failures.get('503 511') ?? 0).toBeGreaterThan(0)
    await healthy(program.url)
    await writers.acknowledge(500)
    await writers.stop()
    expect(home.postmaster()).not.toBe(postmaster)
    expect(isRunning(program)).toBe(true)
    expect(await differencesIn(writing)).toEqual([])
    expect(extraordinary(writing)).toEqual([])
    expect(api.faults.unanswered).toBe(0)
    expect(program.output()).not.toContain('request failed unexpectedly')
  })

  test('of one database backend: service resumes and no acknowledged write is lost', async () => {
    const home = makeHome(onTestFinished)
    const writing = await writersOn(home)
    const { program, api, writers } = writing
    const client = await home.connect()
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'homeport' ORDER BY query_start DESC LIMIT 1",
    )
    // Killing one backend ends all others, including this client's. Only writers with a running statement are rejected; later
    // ones wait for the database to recover.
    const ended = new Promise((resolve) => client.once('end', resolve))
    process.kill(rows[0]!.pid, 'SIGKILL')
    await ended
    await healthy(program.url)
    await writers.acknowledge(500)
    await writers.stop()
    expect(isRunning(program)).toBe(true)
    expect(await differencesIn(writing)).toEqual([])
    expect(extraordinary(writing)).toEqual([])
    expect(api.faults.unanswered).toBe(0)
    expect(program.output()).not.toContain('request failed unexpectedly')
  })
})

// `npm run crash` runs any number of rounds of all kinds, with other seeds.
test('acknowledgments from two servers hold after several rounds of the campaign', {
  timeout: 120_000,
}, async () => {
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  const shapes = possibleShapes().slice(-1)
  const { failed, rounds } = await runCampaign({
    seed: 17,
    rounds: 3,
    roundsPerShape: 3,
    minutes: null,
    shapes,
    report,
  })
  expect(failed, lines.join('\n')).toBeNull()
  expect(rounds).toBe(3)
})
