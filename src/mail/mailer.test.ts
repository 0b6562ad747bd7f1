import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { type SmtpSink, startSmtpSink } from '../../test/support/smtp-sink.ts'
import { sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { createMailer, type Mailer, type MailerOptions } from './mailer.ts'

const message = { to: 'reader@example.org', subject: '你好 reader', text: 'Line one\n.\nhttps://example.org/?a=1' }
const database = await scratchDatabase()
let outbox: string
let sink: SmtpSink
let jobs: Jobs
let logged: string[]

beforeAll(async () => {
  outbox = await mkdtemp(join(tmpdir(), 'homeport-outbox-'))
})

beforeEach(async () => {
  sink = await startSmtpSink()
})

afterEach(async () => {
  await jobs.stop()
  await sink.stop()
})

afterAll(() => rm(outbox, { recursive: true }))

function mailer(options: Partial<MailerOptions>): Mailer {
  logged = []
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  jobs = new Jobs(database, log, { pollInterval: 50, retryDelay: 10 })
  const made = createMailer({ smtpUrl: null, outbox, jobs, log, ...options })
  jobs.start()
  return made
}

const waiting = () => database.query(sql`SELECT * FROM homeport.jobs`)
const noneWaiting = () => vi.waitFor(async () => expect(await waiting()).toEqual([]), 10_000)

it('sends a message through the mail server', async () => {
  await mailer({ smtpUrl: sink.url, from: 'Homeport <home@example.com>' }).send({ ...message, html: '<p>one</p>' })
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 10_000)
  const [mail] = sink.mails
  expect(mail).toMatchObject({ from: 'home@example.com', to: 'reader@example.org' })
  expect(mail!.content).toContain('From: Homeport <home@example.com>')
  expect(mail!.content).toMatch(/^Subject: =\?UTF-8\?/m)
  expect(mail!.content).toMatch(/^Message-ID: <[0-9a-f-]{36}@example\.com>$/m)
  expect(mail!.content).toContain('Line one\n.\n')
  expect(mail!.content).toContain('<p>one</p>')
  await noneWaiting()
})

it('uses the user of the mail server as the sender when none is configured', async () => {
  const url = `${sink.url.replace('//', '//me%40example.net:secret@')}?ignoreTLS=true`
  await mailer({ smtpUrl: url }).send(message)
  await vi.waitFor(() => expect(sink.mails).toMatchObject([{ from: 'me@example.net' }]), 10_000)
  await noneWaiting()
  expect(logged.join('')).not.toContain('secret')
})

it('retries a message that the mail server defers, under the same id', async () => {
  sink.refusals.push('451 later', '451 later')
  await mailer({ smtpUrl: sink.url }).send(message)
  await vi.waitFor(() => expect(sink.mails).toHaveLength(1), 10_000)
  expect(sink.refusals).toEqual([])
  await noneWaiting()
})

it('drops a message that the mail server rejects', async () => {
  sink.refusals.push('550 no such mailbox')
  await mailer({ smtpUrl: sink.url }).send(message)
  await noneWaiting()
  expect(sink.mails).toEqual([])
  expect(logged.join('')).toContain('mail rejected by mail server')
})

it('keeps a message while the mail server is unavailable', async () => {
  await sink.stop()
  await mailer({ smtpUrl: sink.url }).send(message)
  await vi.waitFor(
    async () => expect(await waiting()).toMatchObject([{ last_error: expect.stringContaining('ECONNREFUSED') }]),
    10_000,
  )
  await database.query(sql`DELETE FROM homeport.jobs`)
  sink = await startSmtpSink()
})

it('writes a message to a file that only its owner can read when no mail server is configured', async () => {
  await mailer({}).send(message)
  await noneWaiting()
  const names = await readdir(outbox)
  expect(names).toEqual([expect.stringMatching(/^\d{8}T\d{9}Z-[0-9a-f]{8}\.eml$/)])
  const path = join(outbox, names[0]!)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const content = await readFile(path, 'utf8')
  expect(content).toMatch(/^To: reader@example\.org$/m)
  expect(content).toMatch(/^Subject: 你好 reader$/m)
  expect(content).toMatch(/^https:\/\/example\.org\/\?a=1$/m)
})

it('writes the text of a message next to its HTML', async () => {
  const before = new Set(await readdir(outbox))
  await mailer({}).send({ ...message, html: '<p>你好</p>' })
  await noneWaiting()
  const [name] = (await readdir(outbox)).filter((file) => !before.has(file))
  const content = await readFile(join(outbox, name!), 'utf8')
  expect(content).toMatch(
    /^Content-Type: multipart\/alternative; boundary="([0-9a-f]+)"\n\n--\1\nContent-Type: text\/plain/m,
  )
  expect(content).toMatch(
    /^Content-Type: text\/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<p>你好<\/p>\n--[0-9a-f]+--\n$/m,
  )
})

it('logs the file and the domain, never the recipient or the content', async () => {
  await mailer({}).send(message)
  await noneWaiting()
  expect(logged.join('')).toContain('.eml')
  expect(logged.join('')).toContain('"domain":"example.org"')
  expect(logged.join('')).not.toContain('reader')
  expect(logged.join('')).not.toContain('a=1')
})

it('does not send a message of a transaction that is rolled back', async () => {
  const made = mailer({ smtpUrl: sink.url })
  const transaction = database.transaction(async (transaction) => {
    await made.send(message, transaction)
    throw new Error('no')
  })
  await expect(transaction).rejects.toThrow('no')
  expect(await waiting()).toEqual([])
  expect(sink.mails).toEqual([])
})

it('rejects an invalid address before anything is stored', async () => {
  await expect(mailer({}).send({ ...message, to: 'a@b.cn, c@d.cn' })).rejects.toMatchObject({ code: 125 })
  expect(await waiting()).toEqual([])
})
