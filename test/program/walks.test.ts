import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { INSPECTED, recordExecutedFiles } from '../support/executed-files.ts'
import { makeHome } from '../support/home.ts'
import { connect } from '../support/raw-connection.ts'
import { isNamed, namedFiles, readWalks } from '../support/walks.ts'

const token = 'token-of-the-administrator-of-one-test'
const home = makeHome(afterAll)
const program = await home.start([], { HOMEPORT_ADMIN_TOKEN: token, ...INSPECTED })
const app = await makeApp(program.url, token)
const recorder = await recordExecutedFiles(program)
const database = await home.connect()
afterAll(() => recorder.close())

/** Executes a statement that reads one row. */
const readRow = () => app.request('GET', '/health')

type Action = () => Promise<unknown>

/** Garbage collection runs on a timer, and so does the check of the capacity, which counts waiting pictures. */
const ON_TIMERS = ['cli/start/bound-garbage.ts', 'files/pictures/pictures.ts']

/**
 * Returns the files executed by an action and by none of the trivial actions, in alphabetical order.
 * @param end runs after each run of the action, and is not recorded
 */
async function ownFiles(action: Action, trivial: readonly Action[], end?: Action): Promise<string[]> {
  const shared = new Set(ON_TIMERS)
  for (const other of [readRow, ...trivial]) for (const file of await recorder.filesOf(other)) shared.add(file)
  // Otherwise nothing was recorded.
  expect([...shared]).toContain('database/pool.ts')
  return [...(await recorder.filesOf(action, end))].filter((file) => !shared.has(file)).sort()
}

/** Checks that a walk of docs/architecture.md names exactly these files. */
function checkWalk(walk: string, files: readonly string[]): void {
  const named = namedFiles(readWalks().get(walk)!)
  expect(files.filter((file) => !isNamed(file, named))).toEqual([])
  expect(named.filter((name) => !files.some((file) => isNamed(file, [name])))).toEqual([])
}

it('a create passes at most 15 files from the socket to its statement, besides those of an empty batch', async () => {
  const create = () => app.request('POST', '/1.1/classes/Post', { body: { title: 'Hello', likes: 1 } })
  expect((await create()).status).toBe(201)
  let waiting: ReturnType<typeof create> | undefined
  const untilStatementWaits = async (): Promise<void> => {
    await database.query(`BEGIN; LOCK TABLE "app_${app.appId}"."Post" IN SHARE MODE`)
    waiting = create()
    await expect.poll(waitingStatements).toBe(1)
  }
  const unlock = async (): Promise<void> => {
    await database.query('COMMIT')
    expect((await waiting!).status).toBe(201)
  }
  const emptyBatch = async (): Promise<void> => {
    expect((await app.request('POST', '/1.1/batch', { body: { requests: [] } })).body).toEqual([])
  }
  const files = await ownFiles(untilStatementWaits, [emptyBatch], unlock)
  checkWalk('A create', files)
  expect(files.length, files.join(', ')).toBeLessThanOrEqual(15)
})

async function waitingStatements(): Promise<number> {
  const { rows } = await database.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows.length
}

it('a chat message passes at most 18 files to its receivers, besides those of commands without effect', async () => {
  const [ann, bob] = [await connect(app), await connect(app)]
  await ann.open('ann')
  await bob.open('bob')
  const made = await app.request('POST', '/1.2/rtm/conversations', {
    body: { name: 'chat', m: ['ann', 'bob'] },
    master: true,
  })
  const cid = made.body.objectId as string
  const send = async (): Promise<void> => {
    const response = await ann.request({ cmd: 'direct', peerId: 'ann', directMessage: { cid, msg: 'hello' } })
    expect(response).toMatchObject({ cmd: 'ack', ackMessage: { uid: expect.any(String) } })
    await bob.take(({ cmd }) => cmd === 'direct')
  }
  const refused = () => ann.request({ cmd: 'conv', op: 'status', peerId: 'ann' })
  const withoutEffect = () => ann.request({ cmd: 'report', op: 'upload', peerId: 'ann' })
  const files = await ownFiles(send, [refused, withoutEffect])
  checkWalk('A chat message', files)
  expect(files.length, files.join(', ')).toBeLessThanOrEqual(18)
})
