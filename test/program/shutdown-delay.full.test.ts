import { expect, it, onTestFinished } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const VARIABLES = {
  HOMEPORT_APP_ID: 'leaving',
  HOMEPORT_APP_KEY: 'leaving-key',
  HOMEPORT_MASTER_KEY: 'leaving-master-key',
}
const HEADERS = { 'x-lc-id': 'leaving', 'x-lc-key': 'leaving-key', 'content-type': 'application/json' }
const databaseUrl = await newDatabase()

it('a stopping server reports it in /health and serves until the delay is over', async () => {
  const options = ['--database-url', databaseUrl, '--shutdown-delay', '1500']
  const { url, stop } = await makeHome(onTestFinished).start(options, VARIABLES)
  const health = () => call(url, 'GET', '/health', {}, undefined)
  expect((await health()).status).toBe(200)
  const since = performance.now()
  const stopped = stop()
  await expect
    .poll(async () => (await health()).body, { interval: 10 })
    .toMatchObject({ status: 'stopping', code: 511 })
  expect((await health()).status).toBe(503)
  expect((await call(url, 'POST', '/1.1/classes/Late', HEADERS, { n: 1 })).status).toBe(201)
  expect(await stopped).toBe(0)
  expect(performance.now() - since).toBeGreaterThan(1400)
})

it('a second signal ends the delay', async () => {
  const options = ['--database-url', databaseUrl, '--shutdown-delay', '600000']
  const program = await makeHome(onTestFinished).start(options, VARIABLES)
  const stopped = program.stop()
  await expect.poll(() => program.output()).toContain('SIGTERM: stopping')
  program.process.kill('SIGINT')
  expect(await stopped).toBe(0)
})
