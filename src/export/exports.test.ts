import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { pino } from 'pino'
import { extract } from 'tar-stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fileLocations } from '../../test/support/files.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { signUp } from '../accounts/login/sign-up.ts'
import { storedFormOf } from '../accounts/password-forms.ts'
import { Passwords } from '../accounts/passwords.ts'
import { Apps } from '../apps/apps.ts'
import { localBus } from '../bus/local-bus.ts'
import { localDirectory } from '../bus/local-directory.ts'
import { identifier, sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { Limiters } from '../limits/limiters.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Message } from '../mail/message.ts'
import { MASTER } from '../objects/access/caller.ts'
import { createObject } from '../objects/writing/create.ts'
import { openNodeQueues } from '../running-app/node-queues.ts'
import { type RunningApp, RunningApps } from '../running-app/running-app.ts'
import { parseExportRequest } from './export-request.ts'
import { downloadLink, Exports } from './exports.ts'

const silent = pino({ level: 'silent' })
const base = 'https://api.example.org'
const database = await scratchDatabase()
let running: RunningApps
let app: RunningApp
let directory: string
let jobs: Jobs
let exports: Exports
let mails: Message[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'homeport-exports-'))
  const apps = new Apps(database)
  running = new RunningApps({
    queues: openNodeQueues(),
    ...fileLocations(),
    database,
    apps,
    bus: localBus(),
    directory: localDirectory(),
    jobs: new Jobs(database, silent),
    passwords: new Passwords(),
    limiters: new Limiters(),
    mailer: { send: async () => {} },
    outbox: directory,
    log: silent,
  })
  ;({ jobs, exports } = worker())
  jobs.start()
  const { id } = await apps.create('exported', 'owner@example.org')
  app = (await running.open(id))!
})

beforeEach(() => {
  mails = []
})

afterAll(async () => {
  await jobs.stop()
  await running.stop()
  await rm(directory, { recursive: true })
})

/** Creates the job runner and the exports of a server. */
function worker() {
  const mailer: Mailer = { send: async (message) => void mails.push(message) }
  // The lease is long, so that an export which a test pauses is not restarted on a slow machine.
  const workerJobs = new Jobs(database, silent, { lease: 60_000, pollInterval: 50, retryDelay: 10, grace: 50 })
  return { jobs: workerJobs, exports: new Exports({ database, running, jobs: workerJobs, mailer, directory }) }
}

const create = async (className: string, body: object) => (await createObject(app.objects, className, body, MASTER)).id

async function finished(id: string) {
  return vi.waitFor(async () => {
    const state = await exports.status(app.id, id)
    if (state.status !== 'done') throw new Error(`it is ${state.status}`)
    return state
  }, 10_000)
}

async function exported(body: object) {
  const { id } = await exports.start(app, parseExportRequest(body), () => base)
  return finished(id)
}

/** Returns the text of each file in an archive. */
async function unpack(state: { id: string; secret: string }): Promise<Map<string, string>> {
  const { path, size } = await exports.openDownload(app.id, state.id, state.secret)
  expect(size).toBe((await stat(path)).size)
  const files = new Map<string, string>()
  const archive = extract()
  createReadStream(path).pipe(createGunzip()).pipe(archive)
  for await (const entry of archive) files.set(entry.header.name, await text(entry))
  return files
}

const lines = (file: string | undefined) =>
  (file ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

it('exports the credentials of users in the form of the hosted service', async () => {
  const signUpOptions = { failOnNotExist: false, baseUrl: () => base }
  const names = ['imported', 'registered']
  const [imported, registered] = await Promise.all(
    names.map((username) => signUp(app.accounts, { username, password: 'password' }, signUpOptions, MASTER)),
  )
  const pair = {
    password: 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==',
    salt: 'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2',
  }
  await database.query(sql`
    UPDATE ${app.accounts.credentials} SET password = ${storedFormOf(pair.password, pair.salt)}
    WHERE user_id = ${imported!.id}`)
  const users = lines((await unpack(await exported({ classes: '_User' }))).get('_User.jsonl'))
  const sessionToken = expect.stringMatching(/^[a-z0-9]{25}$/)
  expect(users.find(({ objectId }) => objectId === imported!.id)).toMatchObject({
    username: 'imported',
    sessionToken,
    ...pair,
  })
  const other = users.find(({ objectId }) => objectId === registered!.id)
  expect(other).toMatchObject({
    username: 'registered',
    sessionToken,
    password: expect.stringMatching(/^\$argon2id\$/),
  })
  expect(other).not.toHaveProperty('salt')
})

it('exports the objects of each class one per line, with system fields as plain strings', async () => {
  const author = { __type: 'Pointer', className: '_User', objectId: 'u1' }
  const when = { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' }
  const open = await create('Post', { title: 'über\n"all"', author, when, tags: ['一', null] })
  const closed = await create('Post', { ACL: { [open]: { read: true } } })
  const files = await unpack(await exported({ classes: 'Post' }))
  expect([...files.keys()]).toEqual(['schema.json', 'Post.jsonl'])
  const objects = lines(files.get('Post.jsonl'))
  expect(objects).toHaveLength(2)
  const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(objects.find(({ objectId }) => objectId === open)).toEqual({
    objectId: open,
    ACL: { '*': { read: true, write: true } },
    createdAt: date,
    updatedAt: date,
    title: 'über\n"all"',
    author,
    when,
    tags: ['一', null],
  })
  expect(objects.find(({ objectId }) => objectId === closed)).toEqual({
    objectId: closed,
    ACL: { [open]: { read: true } },
    createdAt: date,
    updatedAt: date,
  })
  expect(JSON.parse(files.get('schema.json')!)).toEqual({
    Post: {
      objectId: { type: 'String' },
      createdAt: { type: 'Date' },
      updatedAt: { type: 'Date' },
      ACL: { type: 'ACL' },
      title: { type: 'String' },
      author: { type: 'Pointer', className: '_User' },
      when: { type: 'Date' },
      tags: { type: 'Array' },
    },
  })
})

it('exports members of relations in separate files, in the form of imports', async () => {
  const fan = await create('Fan', {})
  const member = { __type: 'Pointer', className: 'Fan', objectId: fan }
  const band = await create('Band', {
    fans: { __op: 'AddRelation', objects: [member] },
  })
  const files = await unpack(await exported({ classes: 'Band' }))
  expect([...files.keys()]).toEqual(['schema.json', 'Band.jsonl', 'Band.fans.relation.jsonl'])
  expect(lines(files.get('Band.fans.relation.jsonl'))).toEqual([{ owningId: band, relatedId: fan }])
  expect(JSON.parse(files.get('schema.json')!).Band.fans).toEqual({ type: 'Relation', className: 'Fan' })
  const none = await unpack(await exported({ classes: 'Band', to_date: '2001-01-01' }))
  expect([...none]).toEqual([
    ['schema.json', files.get('schema.json')],
    ['Band.jsonl', ''],
  ])
})

it('exports all classes by default, built-in ones only if they have objects', async () => {
  await create('_Role', { name: 'editors', ACL: {} })
  const names = [...(await unpack(await exported({}))).keys()]
  expect(names).toContain('Post.jsonl')
  expect(names).toContain('_Role.jsonl')
  expect(names).not.toContain('_Installation.jsonl')
  const named = await unpack(await exported({ classes: ' _Installation,files, Post,' }))
  expect([...named.keys()].toSorted()).toEqual(['Post.jsonl', '_File.jsonl', '_Installation.jsonl', 'schema.json'])
  expect(named.get('_File.jsonl')).toBe('')
})

it('exports only the schema with only-schema', async () => {
  const files = await unpack(await exported({ 'only-schema': 'true' }))
  expect([...files.keys()]).toEqual(['schema.json'])
  expect(Object.keys(JSON.parse(files.get('schema.json')!))).toEqual(
    expect.arrayContaining(['Post', '_User', '_Conversation']),
  )
})

it('limits updatedAt by from_date and to_date, both inclusive', async () => {
  const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']
  for (const day of days) {
    const id = await create('Dated', { day })
    const updated = `${day}T00:00:00.000Z`
    await database.query(
      sql`UPDATE ${identifier(`app_${app.id}`, 'Dated')} SET updated_at = ${updated} WHERE id = ${id}`,
    )
  }
  const daysOf = async (range: object) =>
    lines((await unpack(await exported({ classes: 'Dated', ...range }))).get('Dated.jsonl'))
      .map(({ day }) => day)
      .toSorted()
  expect(await daysOf({ from_date: '2026-01-02' })).toEqual(days.slice(1))
  expect(await daysOf({ to_date: { __type: 'Date', iso: '2026-01-03T00:00:00.000Z' } })).toEqual(days.slice(0, 3))
  expect(await daysOf({ from_date: '2026-01-02T00:00:00.001Z', to_date: '2026-01-03T12:00:00+08:00' })).toEqual([
    '2026-01-03',
  ])
})

it('exports large classes and large objects completely', async () => {
  await createObject(app.objects, 'Large', { text: 'x' }, MASTER)
  await database.query(sql`
    INSERT INTO ${identifier(`app_${app.id}`, 'Large')} (id, created_at, updated_at, data)
    SELECT 'n' || n, now(), now(), jsonb_build_object('text', repeat('文', CASE n % 1000 WHEN 7 THEN 1000000 ELSE 10 END))
    FROM generate_series(1, 5000) AS n`)
  const objects = lines((await unpack(await exported({ classes: 'Large' }))).get('Large.jsonl'))
  expect(new Set(objects.map(({ objectId }) => objectId)).size).toBe(5001)
  expect(objects.filter(({ text }) => text.length === 1_000_000)).toHaveLength(5)
})

it('mails the link to the owner, or to the requested address, when the export is finished', async () => {
  const state = await exported({ classes: 'Post' })
  expect(mails).toMatchObject([
    { to: 'owner@example.org', text: expect.stringContaining(`${downloadLink(base, state)}\n`) },
  ])
  await exported({ classes: 'Post', email: 'somebody@example.com' })
  expect(mails[1]).toMatchObject({ to: 'somebody@example.com' })
})

it('requires the secret of that export for a download', async () => {
  const one = await exported({ 'only-schema': true })
  const other = await exported({ 'only-schema': true })
  const missing = expect.objectContaining({ status: 404, message: 'Download not found or expired.' })
  expect(one.secret).toMatch(/^[\w-]{43}$/)
  await expect(exports.openDownload(app.id, one.id, other.secret)).rejects.toEqual(missing)
  await expect(exports.openDownload(app.id, one.id, '')).rejects.toEqual(missing)
  await expect(exports.openDownload('../other', one.id, one.secret)).rejects.toEqual(missing)
  await expect(exports.openDownload(app.id, `../${app.id}/${one.id}`, one.secret)).rejects.toEqual(missing)
  await expect(exports.status(app.id, 'nothing')).rejects.toMatchObject({ status: 404 })
})

it('rejects a class that does not exist by name', async () => {
  await expect(exports.start(app, parseExportRequest({ classes: 'Post,Nowhere' }), () => base)).rejects.toMatchObject({
    code: 1,
    message: "'classes' contains 'Nowhere', which does not exist.",
  })
})

it('fails after three attempts, with an error message without details', async () => {
  await create('Broken', { a: 1 })
  await database.query(sql`ALTER TABLE ${identifier(`app_${app.id}`, 'Broken')} RENAME COLUMN data TO other`)
  const { id } = await exports.start(app, parseExportRequest({ classes: 'Broken' }), () => base)
  await vi.waitFor(async () => expect((await exports.status(app.id, id)).status).toBe('failed'), 10_000)
  expect(await exports.status(app.id, id)).toMatchObject({
    error: 'The export could not be finished. Please start it again.',
  })
  expect(mails).toMatchObject([{ to: 'owner@example.org', subject: expect.stringContaining('failed') }])
  expect((await readdir(join(directory, app.id))).filter((name) => name.includes(id))).toEqual([])
  await database.query(sql`ALTER TABLE ${identifier(`app_${app.id}`, 'Broken')} RENAME COLUMN other TO data`)
})

it('restarts an interrupted export and removes the files of the first attempt', async () => {
  await create('Held', { a: 1 })
  const other = worker()
  const blocker = await database.dedicated('usual')
  await jobs.stop()
  try {
    await blocker.query(`BEGIN; LOCK TABLE "app_${app.id}"."Held"`)
    other.jobs.start()
    const { id } = await other.exports.start(app, parseExportRequest({ classes: 'Held' }), () => base)
    const temporary = join(directory, app.id, `${id}.tar.gz.tmp`)
    await vi.waitFor(async () => expect(await readdir(temporary)).toContain('part'), 10_000)
    // The class is still locked: an export that was not aborted would keep waiting.
    await other.jobs.stop()
    await vi.waitFor(() => expect(stat(temporary)).rejects.toThrow('ENOENT'), 10_000)
    await blocker.query('ROLLBACK')
    ;({ jobs, exports } = worker())
    jobs.start()
    expect(lines((await unpack(await finished(id))).get('Held.jsonl'))).toHaveLength(1)
    expect((await readdir(join(directory, app.id))).filter((name) => name.includes(id))).toEqual([`${id}.tar.gz`])
  } finally {
    await blocker.end()
  }
})

it('restarts an export after kill -9, and removes the files of the killed run', async () => {
  await jobs.stop()
  const killed = worker()
  const { id } = await killed.exports.start(app, parseExportRequest({ classes: 'Post' }), () => base)
  const temporary = join(directory, app.id, `${id}.tar.gz.tmp`)
  await mkdir(temporary)
  await writeFile(join(temporary, 'part'), 'half')
  await database.query(sql`
    UPDATE homeport.jobs SET worker = 'dead', run_at = now() + interval '200 ms' WHERE payload->>'id' = ${id}`)
  ;({ jobs, exports } = worker())
  jobs.start()
  expect([...(await unpack(await finished(id))).keys()]).toEqual(['schema.json', 'Post.jsonl'])
  expect((await readdir(join(directory, app.id))).filter((name) => name.includes(id))).toEqual([`${id}.tar.gz`])
})

it('exports one snapshot, without data written while it runs', async () => {
  await create('First', { a: 1 })
  await create('Second', { a: 1 })
  const blocker = await database.dedicated('usual')
  try {
    await blocker.query(`BEGIN; LOCK TABLE "app_${app.id}"."First"`)
    const { id } = await exports.start(app, parseExportRequest({ classes: 'First,Second' }), () => base)
    await vi.waitFor(() => readdir(join(directory, app.id, `${id}.tar.gz.tmp`)), 10_000)
    await create('Second', { a: 2 })
    await blocker.query('COMMIT')
    expect(lines((await unpack(await finished(id))).get('Second.jsonl'))).toHaveLength(1)
  } finally {
    await blocker.end()
  }
})

it('removes an export, file and record, when its retention ends', async () => {
  const { id } = await exported({ classes: 'Post' })
  const path = join(directory, app.id, `${id}.tar.gz`)
  expect((await readFile(path)).length).toBeGreaterThan(0)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const mine = sql`kind = 'export-expiry' AND payload->>'id' = ${id}`
  const [row] = await database.query(
    sql`SELECT run_at > now() + interval '6.9 days' AS late FROM homeport.jobs WHERE ${mine}`,
  )
  expect(row).toEqual({ late: true })
  await database.query(sql`UPDATE homeport.jobs SET run_at = now() WHERE ${mine}`)
  await vi.waitFor(() => expect(exports.status(app.id, id)).rejects.toMatchObject({ status: 404 }), 10_000)
  await expect(stat(path)).rejects.toThrow('ENOENT')
})

it('drops the export of an app that was removed meanwhile', async () => {
  const key = { appId: randomBytes(6).toString('hex'), id: 'gone' }
  await jobs.enqueue('export', key)
  await jobs.enqueue('export-expiry', key)
  await vi.waitFor(async () => {
    expect(await database.query(sql`SELECT kind FROM homeport.jobs WHERE payload->>'appId' = ${key.appId}`)).toEqual([])
  }, 10_000)
})

describe('the exports of an app', () => {
  const table = () => sql`${identifier(`app_${app.id}`, '$exports')}`
  const insert = (status: string, count: number) =>
    database.query(sql`
      INSERT INTO ${table()} (id, status, request)
      SELECT ${status} || number, ${status}, '{}' FROM generate_series(1, ${count}::integer) AS number`)
  const start = () => exports.start(app, parseExportRequest({ 'only-schema': 'true' }), () => base)
  beforeEach(() => database.query(sql`DELETE FROM ${table()}`))
  afterEach(() => database.query(sql`DELETE FROM ${table()}`))

  it.each([
    ['running', 10, /10 exports of this app are running/],
    ['done', 200, /200 exports, which are kept for 7 days/],
    ['failed', 200, /200 exports/],
  ])('are limited: %s, %i', async (status, count, message) => {
    await insert(status, count)
    await expect(start()).rejects.toMatchObject({ status: 429, message: expect.stringMatching(message) })
    await database.query(sql`DELETE FROM ${table()} WHERE id = ${`${status}1`}`)
    await start()
  })

  it('are limited when many start at the same time', async () => {
    await insert('done', 195)
    const started = await Promise.allSettled(Array.from({ length: 20 }, start))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })
})

it('removes the archives of an app that is removed', async () => {
  const { id } = await exports.start(app, parseExportRequest({ 'only-schema': 'true' }), () => base)
  await vi.waitFor(async () => expect((await exports.status(app.id, id)).status).toBe('done'), 10_000)
  expect(await readdir(join(directory, app.id))).not.toEqual([])
  await exports.forgetApp(app.id)
  await expect(readdir(join(directory, app.id))).rejects.toMatchObject({ code: 'ENOENT' })
})
