import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { type SmtpSink, startSmtpSink } from '../../test/support/smtp-sink.ts'
import { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { createMailer } from '../mail/mailer.ts'
import { type Notice, notice } from '../notices/notice.ts'
import type { AlertCondition } from './alert-state.ts'
import { Alerts } from './alerts.ts'
import { AlertDelivery } from './delivery.ts'

const TIMEOUT_MS = 30_000
const database = await scratchDatabase()
const log = pino({ level: 'silent' })

interface Posted {
  readonly event: string
  readonly alert: string
  readonly node: string | null
}

const posted: Posted[] = []
/** Statuses of the next responses of the webhook. */
const refusals: number[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    const status = refusals.shift() ?? 200
    if (status === 200) posted.push(JSON.parse(body) as Posted)
    response.writeHead(status).end()
  })
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

let smtp: SmtpSink
const running: Jobs[] = []

beforeEach(async () => {
  smtp = await startSmtpSink()
  posted.length = 0
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((jobs) => jobs.stop()))
  await smtp.stop()
  await database.query(sql`DELETE FROM homeport.alerts`)
  await database.query(sql`DELETE FROM homeport.jobs`)
})

afterAll(() => {
  receiver.close()
})

interface NodeOptions {
  readonly problems: () => Readonly<Record<string, Notice | null>>
  readonly smtpUrl?: string
  readonly on?: Database
}

/** Starts a node whose conditions report `problems`; `own` concerns the node alone. */
function startNode(name: string, { problems, smtpUrl = smtp.url, on = database }: NodeOptions): Alerts {
  const jobs = new Jobs(database, log, { pollInterval: 50, retryDelay: 10 })
  running.push(jobs)
  const delivery = new AlertDelivery({
    recipients: ['ops@example.org'],
    webhook: { url: webhookUrl, format: null, secret: null },
    language: 'en',
    consoleUrl: () => 'https://api.example.org/console/health',
    mailer: createMailer({ smtpUrl, outbox: tmpdir(), jobs, log }),
    jobs,
  })
  jobs.start()
  const condition = (id: string): AlertCondition => ({
    id,
    isOfNode: id === 'own',
    read: async () => problems()[id] ?? null,
  })
  const conditions = ['shared', 'own'].map(condition)
  return new Alerts({ database: on, conditions, delivery, node: () => name, log })
}

const problem = notice('alertRedis')
const events = () => posted.map(({ event, alert, node }) => [event, alert, node].join(' ')).sort()
const allDelivered = () =>
  vi.waitFor(async () => expect(await database.query(sql`SELECT 1 FROM homeport.jobs`)).toEqual([]), TIMEOUT_MS)
/** Lets time pass for the stored alerts. */
const pass = (minutes: number) =>
  database.query(sql`
    UPDATE homeport.alerts
    SET since = since - ${`${minutes} minutes`}::interval,
      notified_at = notified_at - ${`${minutes} minutes`}::interval,
      clear_since = clear_since - ${`${minutes} minutes`}::interval,
      reports = coalesce((
        SELECT jsonb_object_agg(key, value::text::float8 - ${minutes * 60_000}::float8) FROM jsonb_each(reports)
      ), '{}')`)

it('notifies by mail and webhook when a condition starts, once a day, and when it ends', async () => {
  let current: Notice | null = problem
  const alerts = startNode('one', { problems: () => ({ shared: current }) })
  await alerts.evaluate()
  await alerts.evaluate()
  await allDelivered()
  expect(events()).toEqual(['started shared '])
  expect(smtp.mails).toHaveLength(1)
  expect(smtp.mails[0]!.content).toMatch(/^Subject: Homeport alert: A server is not connected to Redis/m)
  expect(alerts.current).toMatchObject([{ id: 'shared', node: null, problem }])

  await pass(24 * 60)
  await alerts.evaluate()
  await allDelivered()
  expect(events()).toEqual(['continues shared ', 'started shared '])

  current = null
  await alerts.evaluate()
  await pass(15)
  await alerts.evaluate()
  await allDelivered()
  expect(events()).toEqual(['continues shared ', 'ended shared ', 'started shared '])
  expect(smtp.mails).toHaveLength(3)
  expect(alerts.current).toEqual([])
})

it('sends one notification for nodes that find a problem at once, and one for each node that concerns it alone', async () => {
  const nodes = ['a', 'b', 'c', 'd'].map((name) =>
    startNode(name, { problems: () => ({ shared: problem, own: problem }) }),
  )
  await Promise.all(nodes.map((node) => node.evaluate()))
  await Promise.all(nodes.map((node) => node.evaluate()))
  await allDelivered()
  expect(events()).toEqual(['started own a', 'started own b', 'started own c', 'started own d', 'started shared '])
})

it('repeats no notification after a restart', async () => {
  await startNode('one', { problems: () => ({ own: problem }) }).evaluate()
  await startNode('one', { problems: () => ({ own: problem }) }).evaluate()
  await allDelivered()
  expect(events()).toEqual(['started own one'])
})

it('retries a webhook that fails', async () => {
  refusals.push(500, 302)
  await startNode('one', { problems: () => ({ shared: problem }) }).evaluate()
  await allDelivered()
  expect(refusals).toEqual([])
  expect(events()).toEqual(['started shared '])
})

it('posts to the webhook while the mail server is unavailable', async () => {
  const alerts = startNode('one', { problems: () => ({ shared: problem }), smtpUrl: 'smtp://127.0.0.1:1' })
  await alerts.evaluate()
  await vi.waitFor(() => expect(events()).toEqual(['started shared ']), TIMEOUT_MS)
  expect(await alerts.test()).toEqual({
    recipients: 1,
    mailProblem: expect.stringContaining('ECONNREFUSED'),
    webhook: { format: 'json', problem: null },
  })
})

it('reports the rejection of a test alert without the URL of the webhook', async () => {
  refusals.push(403)
  const outcome = await startNode('one', { problems: () => ({}) }).test()
  expect(outcome).toEqual({
    recipients: 1,
    mailProblem: null,
    webhook: { format: 'json', problem: 'the webhook rejected the alert (HTTP status 403)' },
  })
  expect(smtp.mails).toHaveLength(1)
})

it('a condition that cannot be read neither starts nor ends an alert', async () => {
  let fails = false
  const problems = () => {
    if (fails) throw new Error('unknown')
    return { shared: problem }
  }
  const alerts = startNode('one', { problems })
  await alerts.evaluate()
  fails = true
  await pass(60)
  await alerts.evaluate()
  expect(alerts.current).toMatchObject([{ id: 'shared' }])
  await allDelivered()
  expect(events()).toEqual(['started shared '])
})

it('notifies of a lost database without it, once, and of its return', async () => {
  const address = 'postgresql://user@127.0.0.1:1/none'
  const gone = new Database({
    connection: { connectionString: address },
    maxConnections: 2,
    maxQueryConnections: 2,
    statementTimeout: 1000,
    maxWait: 200,
  })
  let current = gone
  const on = { query: (...given: Parameters<Database['query']>) => current.query(...given) } as Database
  const alerts = startNode('one', { problems: () => ({}), on })
  for (let time = 0; time < 5; time++) await expect(alerts.evaluate()).rejects.toThrow()
  expect(events()).toEqual(['started database one'])
  current = database
  await alerts.evaluate()
  await alerts.evaluate()
  expect(events()).toEqual(['ended database one', 'started database one'])
  expect(smtp.mails).toHaveLength(2)
  await gone.close()
})
