import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { startEngine } from '../../support/engine-process.ts'
import { compileGo, go } from '../../support/go.ts'

// The official Go client, from the Go module proxy. The Go programs contain the cases and their expectations; each case is a test
// here. They run once while this file is collected, because only they know the test names.
describe.skipIf(go === null)('the Go client 0.1.0', async () => {
  if (go === null) return it.skip('compiles and runs')
  const program = await compileGo(new URL('.', import.meta.url), afterAll)
  const app = await makeApp()
  await app.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
  const { stdout } = await promisify(execFile)(program, ['client'], {
    timeout: 120_000,
    env: {
      LEANCLOUD_APP_ID: app.appId,
      LEANCLOUD_APP_KEY: app.appKey,
      LEANCLOUD_APP_MASTER_KEY: app.masterKey,
      LEANCLOUD_API_SERVER: app.url,
    },
  })
  const cases = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { case: string; failure?: string })

  it('reports every case', () => expect(cases).not.toEqual([]))
  for (const { case: name, failure } of cases) it(name, () => expect.assert(failure === undefined, failure))

  describe('as an engine', async () => {
    await startEngine(app, '', afterAll, { runtime: { program, args: [], file: 'unused' } })
    const post = (path: string, body: object, session?: string) =>
      app.request('POST', `/1.1/${path}`, { body, ...(session && { session }) })

    it('is called with parameters and a user', async () => {
      const { session } = await app.makeUser('ann')
      expect((await post('functions/who', { greeting: 'Hello' })).body).toEqual({ result: 'Hello, nobody' })
      expect((await post('functions/who', { greeting: 'Hello' }, session)).body).toEqual({ result: 'Hello, ann' })
    })

    it('completes or rejects saves', async () => {
      const { body } = await post('classes/Review', { comment: 'fine' })
      expect((await app.request('GET', `/1.1/classes/Review/${body.objectId}`)).body.comment).toBe('FINE')
      expect((await post('classes/Review', { comment: '' })).body.code).toBe(142)
    })

    it('fails with its own error code', async () => {
      expect(await post('functions/refuse', {})).toMatchObject({ status: 400, body: { code: 4242 } })
    })
  })
})
