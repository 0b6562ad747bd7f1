import { afterAll, expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { inputOf, json, standInEngine } from '../support/stand-in-engine.ts'

const ADMIN_TOKEN = 'token-of-the-administrator-of-crashes'
/** Time limit of the code of a task, in milliseconds: longer than a busy machine can stall. */
const TIME = 5000
/** A task is retried after its time limit and the ten seconds until its server counts as dead. */
const TIMEOUT_MS = 45_000

const home = makeHome(afterAll)
const database = await newDatabase()
const start = () => home.start(['--database-url', database], { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN })
const engine = await standInEngine()

async function makeClient(url: string) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const admin = async (method: string, path: string, body?: unknown) =>
    (await call(url, method, `/admin/apps${path}`, headers, body)).body
  const [app] = (await admin('GET', '')).apps
  const keys = { 'x-lc-id': app.appId, 'x-lc-key': `${app.masterKey},master`, 'content-type': 'application/json' }
  const tasks = async (method: string, path = '', body?: unknown) =>
    (await call(url, method, `/1.1/engine/cloud-queue/tasks${path}`, keys, body)).body
  return { admin: (method: string, path: string, body?: unknown) => admin(method, `/${app.appId}${path}`, body), tasks }
}

it('tasks and schedules survive a killed server', { timeout: 3 * TIMEOUT_MS }, async () => {
  const first = await start()
  const before = await makeClient(first.url)
  const schedules = { often: { function: 'often', cron: '* * * * * ?' } }
  await before.admin('PATCH', '/settings', { engine: { production: engine.url, schedules } })
  engine.functions.set('task', () => {})
  const add = (body: object) => before.tasks('POST', '', { function: 'task', timeout: TIME, ...body })
  await add({ uniqueId: 'again', params: { id: 'again' } })
  await add({ uniqueId: 'waiting', params: { id: 'waiting' } })
  await add({ uniqueId: 'late', params: { id: 'late' }, delay: 1000 })
  const called = () => engine.calls.filter(({ url }) => url.endsWith('/task')).map((call) => inputOf(call).id)
  await expect.poll(called).toEqual(['again'])
  await first.kill()

  engine.functions.set('task', json({ result: 'done' }))
  engine.functions.set('often', json({}))
  const second = await makeClient((await start()).url)
  for (const id of ['again', 'waiting', 'late'])
    await expect.poll(() => second.tasks('GET', `/${id}`), { timeout: TIMEOUT_MS }).toMatchObject({ status: 'success' })
  expect(called().sort()).toEqual(['again', 'again', 'late', 'waiting'])
  await expect
    .poll(async () => (await second.admin('GET', '/schedules')).schedules, { timeout: TIMEOUT_MS })
    .toMatchObject([{ name: 'often', lastOutcome: { status: 200 } }])
})
