import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { java } from '../../support/java.ts'
import { makeSearched } from '../../support/search.ts'
import { runMaven } from './maven.ts'

// The official Java client, from Maven Central. The Java programs contain the cases and their expectations; each case is a test
// here. They run once while this file is collected, because only they know the test names.
const PROGRAMS = {
  storage: 'storage-core 8.2.19',
  realtime: 'realtime-core 6.0.5',
} as const

type Program = keyof typeof PROGRAMS
const programs = Object.keys(PROGRAMS) as Program[]

const results = java ? await runHere() : null

describe.skipIf(!java).each(programs)('the Java client, %s', (program) => {
  const cases = results?.[program] ?? []

  it(`${PROGRAMS[program]} runs to completion`, () => {
    expect(cases).not.toEqual([])
  })

  for (const { name, failure } of cases) {
    it(name, () => expect(failure).toBeNull())
  }
})

async function runHere() {
  const app = await makeApp()
  // Queries of users by the client fail while `find` is closed.
  await app.admin('PATCH', '/classes/_User', { permissions: { find: 'public' } })
  await makeSearched(app, 'Shop', { name: 'String', text: 'String', score: 'Number', place: 'GeoPoint' })
  const providers = await Promise.all(
    ['s3', 'qiniu', 'qcloud'].map(async (provider) => {
      const { admin, appId, appKey } = await makeApp()
      await admin('PATCH', '/settings', { files: { provider } })
      return [`HOMEPORT_TEST_APP_${provider}`, `${appId}:${appKey}`] as const
    }),
  )
  return runMaven(programs, {
    ...Object.fromEntries(providers),
    HOMEPORT_TEST_URL: app.url,
    HOMEPORT_TEST_APP_ID: app.appId,
    HOMEPORT_TEST_APP_KEY: app.appKey,
    HOMEPORT_TEST_MASTER_KEY: app.masterKey,
  })
}
