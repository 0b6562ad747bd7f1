import { pino } from 'pino'
import { afterAll } from 'vitest'
import { Passwords } from '../../src/accounts/passwords.ts'
import { Apps } from '../../src/apps/apps.ts'
import { localBus } from '../../src/bus/local-bus.ts'
import { localDirectory } from '../../src/bus/local-directory.ts'
import type { Database } from '../../src/database/pool.ts'
import { sql } from '../../src/database/sql.ts'
import { Jobs } from '../../src/jobs/jobs.ts'
import { Limiters } from '../../src/limits/limiters.ts'
import { createPush } from '../../src/push/delivery/create-push.ts'
import { deliverPage } from '../../src/push/delivery/deliver-page.ts'
import { type PageJob, PUSH_JOBS } from '../../src/push/delivery/pages.ts'
import { readRecord, type ShownRecord } from '../../src/push/delivery/records.ts'
import type { Channel } from '../../src/push/providers/all.ts'
import { ACCEPTED, type Notification, type Outcome, type Target } from '../../src/push/providers/provider.ts'
import { installationTable, type Push } from '../../src/push/push.ts'
import type { PushRequest } from '../../src/push/push-request.ts'
import { type PushSettings, pushSettings } from '../../src/push/push-settings.ts'
import type { OpenPush } from '../../src/running-app/app-push.ts'
import { openNodeQueues } from '../../src/running-app/node-queues.ts'
import { RunningApps } from '../../src/running-app/running-app.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { fileLocations } from './files.ts'
import { scratchDatabase } from './scratch-database.ts'

const silent = pino({ level: 'silent' })

/** A chunk of devices passed to a provider. */
interface Handed {
  readonly channel: Channel
  readonly profile: string | null
  readonly notification: Notification
  readonly targets: readonly Target[]
}

/** A page waiting for a worker. */
interface WaitingPage {
  readonly job: PageJob
  readonly runAt: Date
}

export interface PushBench {
  readonly push: Push & Pick<OpenPush, 'devices'>
  readonly database: Database
  /** The chunks passed to providers so far. */
  readonly handed: Handed[]
  /** Returns the outcome of a push for a device; accepts by default. */
  outcome: (target: Target, channel: Channel) => Outcome
  /** Called before the response to a chunk. */
  beforeAnswer: (handed: Handed, signal: AbortSignal) => Promise<void> | void
  configure(settings: Partial<PushSettings>): void
  /**
   * Writes installations unchanged.
   * @returns their ids
   */
  install(installations: readonly JsonObject[], prefix?: string): Promise<string[]>
  /** Creates `count` iOS devices. */
  installPhones(count: number, fields?: JsonObject): Promise<string[]>
  /** Removes all installations, waiting pages, dead tokens and recorded chunks; every device accepts again. */
  clear(): Promise<void>
  /**
   * Creates a push to the devices of a condition, or to all.
   * @returns its id
   */
  create(changes?: Partial<PushRequest>): Promise<string>
  /** Returns the pages waiting for a worker, including future ones. */
  waiting(): Promise<WaitingPage[]>
  /** Processes one page as a worker does. */
  work(job: PageJob, signal?: AbortSignal): Promise<void>
  /**
   * Processes all waiting pages without waiting for their times.
   * @returns their number
   */
  workOnAll(): Promise<number>
  record(id: string): Promise<ShownRecord>
}

/** Creates the pushes of a separate app with stand-in providers. Must be called at the top level of a test file. */
export async function makePush(): Promise<PushBench> {
  const database = await scratchDatabase()
  const apps = new Apps(database)
  const running = new RunningApps({
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
    outbox: '/nonexistent',
    log: silent,
  })
  afterAll(() => running.stop())
  const { id: appId } = await apps.create('push', 'owner@example.org')
  const app = (await running.open(appId))!
  let settings = pushSettings.parse({})
  const providerOf = (channel: Channel, profile: string | null) => ({
    chunkSize: channel === 'apns' || channel === 'fcm' ? 100 : 1000,
    async send(notification: Notification, targets: readonly Target[], signal: AbortSignal) {
      const handed = { channel, profile, notification, targets }
      bench.handed.push(handed)
      await bench.beforeAnswer(handed, signal)
      return targets.map((target) => bench.outcome(target, channel))
    },
    close: () => {},
  })
  const push: PushBench['push'] = {
    ...app.push,
    providers: { hasVendors: true, find: providerOf, close: () => {} },
    settings: () => settings,
  }
  const accepting = { outcome: () => ACCEPTED, beforeAnswer: () => {} }
  const bench: PushBench = {
    push,
    // The database handle of the app, so that tests can count and replace its queries.
    database: app.push.database,
    handed: [],
    ...accepting,
    configure: (changes) => {
      settings = { ...settings, ...changes }
    },
    async install(installations, prefix = 'i') {
      const rows = installations.map((data, index) => ({ id: `${prefix}${String(index).padStart(5, '0')}`, data }))
      await database.query(sql`
        INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
        SELECT row->>'id', now(), now(), '{"valid":true}' || (row->'data')
        FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb) AS row`)
      return rows.map(({ id }) => id)
    },
    installPhones: (count, fields = {}) =>
      bench.install(
        Array.from({ length: count }, (_, index) => ({ deviceType: 'ios', deviceToken: `token ${index}`, ...fields })),
      ),
    async clear() {
      await database.query(sql`DELETE FROM ${installationTable(push)}`)
      await database.query(sql`DELETE FROM ${push.tables.deadTokens}`)
      await database.query(sql`DELETE FROM homeport.jobs WHERE kind = ANY(${PUSH_JOBS}::text[])`)
      bench.handed.splice(0)
      Object.assign(bench, accepting)
    },
    async create(changes = {}) {
      const usual = { pushAt: null, expiresAt: null, notificationId: null, reqId: null, topic: null, teamId: null }
      const target = { kind: 'where', where: {}, channels: [] } as const
      const request = { ...usual, data: { alert: 'Hello' }, target, prod: 'prod', flowControl: null } as const
      return (await createPush(push, { ...request, ...changes }, 'push')).id
    },
    async waiting() {
      const rows = await database.query(sql`
        SELECT payload, run_at FROM homeport.jobs WHERE kind = ANY(${PUSH_JOBS}::text[]) ORDER BY run_at, id`)
      return rows.map((row) => ({
        job: JSON.parse(String(row.payload)) as PageJob,
        runAt: new Date(String(row.run_at)),
      }))
    },
    work: (job, signal = new AbortController().signal) => deliverPage(push, job, signal),
    async workOnAll() {
      for (let count = 0; ; count++) {
        const [row] = await database.query(sql`
          DELETE FROM homeport.jobs
          WHERE id = (SELECT id FROM homeport.jobs WHERE kind = ANY(${PUSH_JOBS}::text[]) ORDER BY run_at, id LIMIT 1)
          RETURNING payload`)
        if (!row) return count
        await bench.work(JSON.parse(String(row.payload)) as PageJob)
      }
    },
    record: async (id) => (await readRecord(push, id))!,
  }
  return bench
}
