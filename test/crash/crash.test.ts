import { describe, expect, onTestFinished, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { differencesIn, ENVIRONMENT, writersOn } from './writing.ts'

// The full suite kills the server, its database and one backend, and runs rounds of the campaign.
describe('kill -9 during 64 concurrent writers', { timeout: 120_000 }, () => {
  test('of the server and its database: every acknowledged write exists after a restart', async () => {
    const home = makeHome(onTestFinished)
    const writing = await writersOn(home)
    const { program, target, writers } = writing
    const postmaster = home.postmaster()!
    process.kill(postmaster, 'SIGKILL')
    await program.kill()
    await writers.stop()
    target.url = (await home.start([], ENVIRONMENT)).url
    expect(await differencesIn(writing)).toEqual([])
  })
})
