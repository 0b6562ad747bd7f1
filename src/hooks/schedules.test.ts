import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { Apps, schemaOf } from '../apps/apps.ts'
import { identifier, sql } from '../database/sql.ts'
import { dateFromDatabase } from '../values/date.ts'
import type { JsonObject } from '../values/json.ts'
import { Engine } from './engine.ts'
import { startSchedules } from './schedules.ts'
import { schedulesSettings } from './schedules-settings.ts'
import { type AppSchedules, listSchedules } from './schedules-table.ts'

const appId = KEYS.id
const production = await standInEngine()
const staging = await standInEngine()
const { log, lines } = recordedLog()
const database = await scratchDatabase()
const apps = new Apps(database)
await apps.create('test', null, { id: appId })
await apps.updateSettings(appId, { engine: { production: production.url, staging: staging.url } })
const engine = new Engine({ appId, keys: () => KEYS, settings: () => apps.known(appId)!.settings.engine, log })
const table = identifier(schemaOf(appId), '$schedules')
const schedules: AppSchedules = { appId, database, table }
const set = (changes: JsonObject) => apps.updateSettings(appId, { engine: { schedules: changes } })

let stops: (() => Promise<void>)[] = []

/** A server of the installation, with the parts that schedules need. */
function startNode(): void {
  const known = () => apps.all().map(({ id, settings }) => ({ id, settings: settings.engine.schedules }))
  stops.push(startSchedules({ apps: known, open: async () => ({ engine, schedules }), log, interval: 10 }))
}

async function stopNodes(): Promise<void> {
  await Promise.all(stops.map((stop) => stop()))
  stops = []
}

const shown = async (name = 'a') => (await listSchedules(schedules)).find((one) => one.name === name)

/** Makes a schedule due now. @returns the due time, in milliseconds since the epoch */
async function due(name = 'a', secondsAgo = 0): Promise<number> {
  await expect.poll(() => shown(name)).toBeDefined()
  await stopNodes()
  const [row] = await database.query(sql`
    UPDATE ${table} SET next_at = now() - ${`${secondsAgo} s`}::interval WHERE name = ${name} RETURNING next_at`)
  startNode()
  return Date.parse(dateFromDatabase(String(row!.next_at)))
}

beforeEach(() => {
  startNode()
})

afterEach(async () => {
  await apps.updateSettings(appId, { engine: { schedules: null } })
  await stopNodes()
  await database.query(sql`DELETE FROM ${table}`)
  for (const { functions, calls } of [production, staging]) {
    functions.clear()
    calls.length = 0
  }
  lines.length = 0
})
afterAll(stopNodes)

it('calls a function when it is due, with its parameters and the authority of the master key', async () => {
  production.functions.set('f', json({ result: 1 }))
  await set({ a: { function: 'f', cron: '* * * * * *', parameters: { deep: { a: 1 } } } })
  await expect.poll(() => production.calls.length).toBeGreaterThan(1)
  expect(inputOf(production.calls[0])).toEqual({ deep: { a: 1 } })
  expect(production.calls[0]!.headers).toMatchObject({ 'x-lc-key': `${KEYS.masterKey},master`, 'x-lc-prod': '1' })
  await expect.poll(async () => (await shown())?.lastOutcome).toMatchObject({ status: 200, error: null })
})

it('counts intervals from the due time, not from the run', async () => {
  production.functions.set('f', json({ result: 1 }))
  await set({ a: { function: 'f', everyMinutes: 10, environment: 'production' } })
  const dueAt = await due('a', 90)
  await expect.poll(() => production.calls.length).toBe(1)
  expect(Date.parse((await shown())!.nextRunAt!) - dueAt).toBe(600_000)
})

it('runs a schedule once that was due several times while no server was running', async () => {
  production.functions.set('f', json({ result: 1 }))
  await set({ a: { function: 'f', everyMinutes: 10 } })
  await due('a', 24 * 3600 + 90)
  await expect.poll(async () => (await shown())?.lastOutcome).toMatchObject({ status: 200 })
  expect(Date.parse((await shown())!.nextRunAt!)).toBeGreaterThan(Date.now())
  expect(production.calls).toHaveLength(1)
})

it('runs a schedule on one of several nodes', async () => {
  production.functions.set('f', json({ result: 1 }))
  for (let count = 0; count < 4; count++) startNode()
  const names = Array.from({ length: 10 }, (_, index) => `s${index}`)
  await set(Object.fromEntries(names.map((name) => [name, { function: 'f', everyMinutes: 60, parameters: { name } }])))
  await expect.poll(async () => (await listSchedules(schedules)).length).toBe(10)
  await stopNodes()
  await database.query(sql`UPDATE ${table} SET next_at = now()`)
  for (let count = 0; count < 5; count++) startNode()
  for (const name of names) await expect.poll(async () => (await shown(name))?.lastOutcome).not.toBeNull()
  await stopNodes()
  expect(production.calls.map((call) => inputOf(call).name).sort()).toEqual(names)
})

it('ends a run before the next one begins', async () => {
  const answers: (() => void)[] = []
  production.functions.set('f', (response) => void answers.push(() => response.end('{}')))
  await set({ a: { function: 'f', cron: '* * * * * *' } })
  await expect.poll(() => answers.length).toBe(1)
  const { nextRunAt } = (await shown())!
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(nextRunAt!) + 200)
  expect(answers).toHaveLength(1)
  answers[0]!()
  await expect.poll(() => answers.length).toBe(2)
  // Also leaves no run in progress for the next test.
  production.functions.set('f', json({}))
  answers[1]!()
})

it('calls a schedule for staging there', async () => {
  staging.functions.set('f', json({ result: 1 }))
  await set({ a: { function: 'f', everyMinutes: 1, environment: 'staging' } })
  await due()
  await expect.poll(() => staging.calls.length).toBe(1)
  expect(production.calls).toEqual([])
})

it('does not call a disabled schedule, and deletes a removed one', async () => {
  await set({ a: { function: 'f', everyMinutes: 1, enabled: false }, b: { function: 'f', everyMinutes: 1 } })
  await expect.poll(() => shown('b')).toMatchObject({ nextRunAt: expect.any(String), lastRunAt: null })
  expect(await shown('a')).toMatchObject({ nextRunAt: null })
  await set({ b: null })
  await expect.poll(() => shown('b')).toBeUndefined()
})

it('restarts a changed schedule', async () => {
  await set({ a: { function: 'f', everyMinutes: 60 } })
  await expect.poll(() => shown()).toBeDefined()
  await set({ a: { everyMinutes: 1 } })
  await expect.poll(async () => Date.parse((await shown())!.nextRunAt!) - Date.now()).toBeLessThan(61_000)
})

it.each([400, 502])(
  'disables a schedule after its 31st response of %i within a day, until its settings are changed',
  async (status) => {
    production.functions.set('f', json({ code: 1, error: 'broken' }, status))
    await set({ a: { function: 'f', everyMinutes: 60 } })
    await expect.poll(() => shown()).toBeDefined()
    const failures = (count: number) => sql`array_fill(now(), ARRAY[${count}::int]) || now() - interval '25 hours'`
    await database.query(sql`UPDATE ${table} SET failures = ${failures(29)}`)
    await due()
    await expect.poll(async () => (await shown())?.lastOutcome).toMatchObject({ status, error: 'broken' })
    expect(await shown()).toMatchObject({ disabledAt: null, nextRunAt: expect.any(String) })
    await due()
    await expect.poll(async () => (await shown())?.disabledAt).toMatch(/Z$/)
    expect(await shown()).toMatchObject({ nextRunAt: null })
    await expect
      .poll(() => lines.map(([fields]) => fields))
      .toContainEqual({ component: 'schedules', app: appId, schedule: 'a' })
    await due()
    await set({ a: { parameters: { changed: true } } })
    await expect.poll(async () => (await shown())?.disabledAt).toBeNull()
    expect(production.calls).toHaveLength(2)
  },
)

it('does not count other failures', async () => {
  await set({ a: { function: 'f', everyMinutes: 60 } })
  await expect.poll(() => shown()).toBeDefined()
  await database.query(sql`UPDATE ${table} SET failures = array_fill(now(), ARRAY[30])`)
  await due()
  await expect.poll(async () => (await shown())?.lastOutcome).toMatchObject({ status: 404 })
  expect(await shown()).toMatchObject({ disabledAt: null })
})

it.each([
  { function: 'f' },
  { function: 'f', cron: '0 0 3 * * ?', everyMinutes: 1 },
  { function: 'f', cron: '0 3 * * *' },
  { function: 'f', everyMinutes: 0 },
  { function: '__before_save_for_Post', everyMinutes: 1 },
  { function: 'f', everyMinutes: 1, timeZone: 'Nowhere/None' },
  { function: 'f', everyMinutes: 1, parameters: [] },
  { function: 'f', everyMinutes: 1, environment: 'elsewhere' },
])('rejects an invalid schedule: %o', (schedule) => {
  expect(schedulesSettings.safeParse({ a: schedule }).success).toBe(false)
})
