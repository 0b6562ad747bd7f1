import { expect, onTestFinished, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'

const start = (data: string) => runProgram(['start', '--port', '0', '--host', '127.0.0.1', '--data', data])

test('starting on a data directory in use exits 1 with one line that names the running server', async () => {
  const home = makeHome(onTestFinished)
  const first = await home.start()
  const second = await start(home.data)
  expect(second.code).toBe(1)
  expect(second.stdout).toBe('')
  expect(second.stderr).toBe(
    `homeport: The data directory ${home.data} is in use by another Homeport: process ${first.process.pid}, ${first.url}.\n`,
  )
  // The first server continues, with its database.
  expect((await fetch(`${first.url}/health`)).status).toBe(200)
  expect(await first.stop()).toBe(0)
})

test('of two simultaneous starts exactly one succeeds, on a new directory and after a killed server', async () => {
  const home = makeHome(onTestFinished, { fresh: true })
  for (const round of ['new', 'left behind']) {
    const starts = await Promise.allSettled([home.start(), home.start()])
    const winners = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
    const losers = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(winners, `${round}: ${losers}`).toHaveLength(1)
    expect(losers[0]).toMatch(
      /^Error: homeport ended with 1 before it was ready:\nhomeport: The data directory .+ is in use by another Homeport: process \d+.*\.\n$/,
    )
    expect((await fetch(`${winners[0]!.url}/health`)).status).toBe(200)
    await winners[0]!.kill()
  }
}, 60_000)
