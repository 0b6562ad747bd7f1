import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { INSPECTED, recordExecutedFiles } from '../support/inspected-program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { isNamed, namedFiles, readWalks } from '../support/walks.ts'

/** Files of its own that a create may execute from the socket to its statement. */
const MAX_OWN_FILES = 15
/** How often each request is recorded: what is executed every time is no accident. */
const RUNS = 10
/** What every request of an app calls, as docs/architecture.md says, and `cli/`, which collects garbage by the clock. */
const EVERYWHERE = /^(limits|turns|values|database|cli)\//

const token = 'token-of-the-administrator-of-one-test'
const databaseUrl = await newDatabase()
const program = await makeHome(afterAll).start(['--database-url', databaseUrl], {
  HOMEPORT_ADMIN_TOKEN: token,
  ...INSPECTED,
})
const app = await makeApp(program.url, token)
const recorder = await recordExecutedFiles(program)
const database = new pg.Client(databaseUrl)
await database.connect()
afterAll(async () => {
  recorder.close()
  await database.end()
})

const create = () => app.request('POST', '/1.1/classes/Post', { body: { title: 'Hello', likes: 1 } })
/** Requests to other parts of the server. What all of them execute, every request executes. */
const others = [
  () => app.request('POST', '/1.1/login', { body: { username: 'ann', password: 'secret' } }),
  () => app.request('POST', '/1.1/LiveQuery/subscribe', { body: { query: { className: 'Other', where: {} } } }),
  () => app.request('POST', '/1.2/rtm/conversations', { body: { name: 'chat', m: ['ann', 'bob'] }, master: true }),
  () => app.request('POST', '/1.1/push', { body: { data: { alert: 'Hello' }, channels: ['none'] }, master: true }),
]
const answers = [
  await app.request('POST', '/1.1/users', { body: { username: 'ann', password: 'secret' } }),
  await create(),
  ...(await Promise.all(others.map((request) => request()))),
]

/** Records the files that each of some runs of an action executes. */
async function filesOfEach(record: () => Promise<ReadonlySet<string>>): Promise<readonly string[]> {
  const runs: ReadonlySet<string>[] = []
  while (runs.length < RUNS) runs.push(await record())
  return [...runs[0]!].filter((file) => runs.every((run) => run.has(file)))
}

/** Records what a create executes until its statement waits for a lock. */
async function untilStatement(): Promise<ReadonlySet<string>> {
  await database.query(`BEGIN; LOCK TABLE "app_${app.appId}"."Post" IN SHARE MODE`)
  const requests: ReturnType<typeof create>[] = []
  const files = await recorder.during(async () => {
    requests.push(create())
    await expect.poll(waitingStatements).toBe(1)
  })
  await database.query('COMMIT')
  expect((await requests[0]!).status).toBe(201)
  return files
}

async function waitingStatements(): Promise<number> {
  const { rows } = await database.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows.length
}

it('a create executes few files of its own between the socket and its statement, which the architecture names', async () => {
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 201, 200])
  const sets: (readonly string[])[] = []
  for (const request of others) sets.push(await filesOfEach(() => recorder.during(request)))
  const shared = sets[0]!.filter((file) => sets.every((set) => set.includes(file)))
  const executed = await filesOfEach(untilStatement)
  const own = executed.filter((file) => !shared.includes(file) && !EVERYWHERE.test(file)).toSorted()
  expect(own.length, own.join(', ')).toBeLessThanOrEqual(MAX_OWN_FILES)
  const named = namedFiles(readWalks().get('A create')!)
  expect(own.filter((file) => !isNamed(file, named))).toEqual([])
  expect(
    named.filter((name) => ![...executed, 'api/http/send-answer.ts'].some((file) => isNamed(file, [name]))),
  ).toEqual([])
})
