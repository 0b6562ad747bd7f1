import { Alerts } from '../alerts/alerts.ts'
import {
  crashCondition,
  databaseDiskCondition,
  diskCondition,
  engineCondition,
  mailCondition,
  postgresCondition,
  pushCondition,
  redisCondition,
} from '../alerts/conditions.ts'
import type { CrashRecord } from '../alerts/crash-record.ts'
import { AlertDelivery } from '../alerts/delivery.ts'
import { backupCondition, certificateCondition, walCondition } from '../alerts/maintenance-conditions.ts'
import { type Apps, schemaOf } from '../apps/apps.ts'
import type { Backups } from '../backup/backups.ts'
import type { Config } from '../config.ts'
import type { NodeCounts } from '../counts.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { Database } from '../database/pool.ts'
import { type DiskReserve, diskSpace } from '../disk-reserve.ts'
import { totalFileBytes } from '../files/total-size.ts'
import { readDatabase } from '../health-history/history-table.ts'
import type { NodeHealth } from '../health-history/node-health.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { countJobs } from '../jobs/shown-jobs.ts'
import type { Log } from '../log.ts'
import type { DirectMailer } from '../mail/mailer.ts'
import { measured } from '../metrics/measured.ts'
import { Metrics } from '../metrics/metrics.ts'
import { serverMetrics } from '../metrics/server-metrics.ts'
import type { RunningApps } from '../running-app/running-app.ts'
import type { CertificateStatus } from '../tls/certificates.ts'
import { VERSION } from '../version.ts'

/** The parts of the server that are watched. Functions return what is made later. */
export interface Watched {
  readonly config: Config
  readonly directory: DataDirectory
  readonly database: Database
  readonly jobs: Jobs
  readonly mailer: DirectMailer
  readonly apps: Apps
  readonly running: RunningApps
  readonly counts: NodeCounts
  readonly reserve: DiskReserve
  readonly backups: Backups
  readonly crashRecord: CrashRecord
  /** Returns how often the embedded PostgreSQL has ended unexpectedly; null for an external one. */
  readonly postgresRestarts: () => number | null
  /** null without Redis */
  readonly redisConnected: () => boolean | null
  readonly certificates: () => readonly CertificateStatus[]
  readonly health: () => NodeHealth
  readonly realtimeConnections: () => number
  /** Returns the base URL of the console. */
  readonly baseUrl: () => string
  readonly log: Log
}

const MINUTE = 60_000
const FILE_SIZE_AGE = 6 * 60 * MINUTE

/** Opens the metrics and the alerts of the server. Before the jobs are started, because alerts are delivered by jobs. */
export function openMonitoring(watched: Watched): { readonly metrics: Metrics; readonly alerts: Alerts } {
  const alerts = openAlerts(watched)
  return { metrics: openMetrics(watched, alerts), alerts }
}

function openMetrics(watched: Watched, alerts: Alerts): Metrics {
  const { apps, running, database, directory, reserve, backups } = watched
  const databaseFigures = measured(() => readDatabase(database), { maxAgeMs: MINUTE })
  const schemas = () => apps.all().map(({ id }) => schemaOf(id))
  return new Metrics(
    serverMetrics({
      version: VERSION,
      counts: watched.counts,
      apps: () => apps.all().length,
      httpConnections: async () => (await watched.health().state()).httpConnections,
      realtimeConnections: watched.realtimeConnections,
      realtimeClients: () => running.all().reduce((sum, { messaging }) => sum + messaging.presence.clientsHere, 0),
      jobs: measured(() => countJobs(database), { maxAgeMs: MINUTE }),
      database: {
        waiting: () => database.waiting,
        isDiskFull: () => database.isDiskFull,
        size: async () => (await databaseFigures())?.databaseSize ?? null,
      },
      postgresRestarts: watched.postgresRestarts,
      redisConnected: watched.redisConnected,
      engines: () => enginesOf(running),
      disk: () => diskSpace(directory.path),
      diskReserve: (total) => reserve.of(total),
      fileBytes: measured(() => totalFileBytes(database, schemas()), { maxAgeMs: FILE_SIZE_AGE }),
      lastBackup: () => {
        const { lastSuccess } = backups.status()
        return lastSuccess && lastSuccess.at / 1000
      },
      certificates: () => watched.certificates().flatMap(expiriesOf),
      alerts: () => alerts.current.map(({ id }) => id),
    }),
  )
}

function openAlerts(watched: Watched): Alerts {
  const { config, database, directory, running, reserve, backups, mailer, jobs } = watched
  const { alertWebhook: url, alertWebhookFormat: format, alertWebhookSecret: secret } = config
  return new Alerts({
    database,
    conditions: [
      diskCondition(
        () => diskSpace(directory.path),
        (total) => reserve.of(total),
      ),
      databaseDiskCondition(() => database.isDiskFull),
      mailCondition(database),
      pushCondition(watched.counts.pushDevices),
      engineCondition(() => running.all().flatMap(({ id, engine }) => (engine.isUp === false ? [id] : []))),
      redisCondition(watched.redisConnected),
      crashCondition(() => watched.crashRecord.crashes),
      postgresCondition(watched.postgresRestarts),
      backupCondition(() => backups.status()),
      walCondition(() => backups.status()),
      certificateCondition(watched.certificates),
    ],
    delivery: new AlertDelivery({
      recipients: config.alertMail,
      webhook: url === null ? null : { url, format, secret },
      language: config.alertLanguage,
      consoleUrl: () => `${watched.baseUrl()}/console/health`,
      mailer,
      jobs,
    }),
    node: () => watched.health().name,
    log: watched.log.child({ component: 'alerts' }),
  })
}

/** Returns the ends of validity of a certificate for its names, in seconds since 1970. */
function expiriesOf({ names, validUntil }: CertificateStatus) {
  return validUntil === null ? [] : names.map((domain) => ({ domain, expiresAt: validUntil.getTime() / 1000 }))
}

function enginesOf(running: RunningApps): { readonly up: number; readonly down: number } {
  const states = running.all().map(({ engine }) => engine.isUp)
  return { up: states.filter((isUp) => isUp === true).length, down: states.filter((isUp) => isUp === false).length }
}
