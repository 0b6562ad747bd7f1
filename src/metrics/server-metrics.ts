import type { NodeCounts } from '../counts.ts'
import type { MetricSources, Sample } from './metrics.ts'

/** Bytes of a disk. */
interface Disk {
  readonly free: number
  readonly total: number
}

/** The values that the parts of the server provide. Expensive ones are `measured` values, null while they are unknown. */
export interface ServerFigures {
  readonly version: string
  readonly counts: NodeCounts
  readonly apps: () => number
  readonly httpConnections: () => Promise<number>
  readonly realtimeConnections: () => number
  readonly realtimeClients: () => number
  /** Jobs by kind and state. */
  readonly jobs: () => Promise<
    readonly { readonly kind: string; readonly state: string; readonly count: number }[] | null
  >
  readonly database: {
    readonly waiting: () => number
    readonly isDiskFull: () => boolean
    readonly size: () => Promise<number | null>
  }
  /** Unexpected ends of the embedded PostgreSQL; null with an external one. */
  readonly postgresRestarts: () => number | null
  /** null without Redis. */
  readonly redisConnected: () => boolean | null
  /** Apps whose production engine responds, and those whose engine does not. */
  readonly engines: () => { readonly up: number; readonly down: number }
  /** The disk of the data directory. */
  readonly disk: () => Promise<Disk | null>
  /** Bytes of the disk below which uploads are rejected. */
  readonly diskReserve: (total: number) => number
  /** Bytes of all files of all apps. */
  readonly fileBytes: () => Promise<number | null>
  /** Seconds since 1970 of the last successful backup; null before the first. */
  readonly lastBackup: () => number | null | Promise<number | null>
  /** The certificates that the server uses, with the end of their validity in seconds since 1970. */
  readonly certificates: () => readonly { readonly domain: string; readonly expiresAt: number }[]
  /** Ids of the current alerts. */
  readonly alerts: () => readonly string[]
}

/** Returns the metrics of the server, except those of requests and of Node (docs/monitoring.md). */
export function serverMetrics(figures: ServerFigures): MetricSources {
  const { counts, database } = figures
  return {
    homeport_build_info: {
      type: 'gauge',
      help: 'Always 1; the label is the version of the server.',
      labels: ['version'],
      read: () => [{ labels: [figures.version], value: 1 }],
    },
    homeport_apps: { type: 'gauge', help: 'Apps of this installation.', read: figures.apps },
    homeport_http_connections: {
      type: 'gauge',
      help: 'Open connections, without those of WebSockets.',
      read: figures.httpConnections,
    },
    homeport_realtime_connections: {
      type: 'gauge',
      help: 'Open WebSocket connections of this node.',
      read: figures.realtimeConnections,
    },
    homeport_realtime_clients: {
      type: 'gauge',
      help: 'Messaging clients that are logged in on this node.',
      read: figures.realtimeClients,
    },
    homeport_messages_stored_total: {
      type: 'counter',
      help: 'Messages of conversations that this node has stored; transient messages are not stored.',
      read: () => total(counts.messages.all()),
    },
    homeport_jobs: {
      type: 'gauge',
      help: 'Background jobs of the installation by kind and state (waiting, running, retrying, failed), at most a minute old.',
      labels: ['kind', 'state'],
      read: async () =>
        (await figures.jobs())?.map(({ kind, state, count }) => ({ labels: [kind, state], value: count })) ?? null,
    },
    homeport_job_runs_total: {
      type: 'counter',
      help: 'Runs of background jobs on this node by kind and outcome (succeeded, retried, failed).',
      labels: ['kind', 'outcome'],
      read: () => counts.jobRuns.all(),
    },
    homeport_mails_total: {
      type: 'counter',
      help: 'Attempts of this node to send a mail by outcome (sent, rejected, failed).',
      labels: ['outcome'],
      read: () => counts.mails.all(),
    },
    homeport_push_devices_total: {
      type: 'counter',
      help: 'Devices of pushes that this node has sent by channel and outcome (accepted, failed, unregistered, later).',
      labels: ['channel', 'outcome'],
      read: () => counts.pushDevices.all(),
    },
    homeport_engine_failures_total: {
      type: 'counter',
      help: 'Calls of cloud code by this node that failed, by reason.',
      labels: ['reason'],
      read: () => counts.engineFailures.all(),
    },
    homeport_engines: {
      type: 'gauge',
      help: 'Apps with a production engine, by whether it responds (up, down).',
      labels: ['state'],
      read: () => {
        const { up, down } = figures.engines()
        return [
          { labels: ['up'], value: up },
          { labels: ['down'], value: down },
        ]
      },
    },
    homeport_redis_connected: {
      type: 'gauge',
      help: '1 while this node is connected to Redis, 0 otherwise; absent without Redis.',
      read: () => flag(figures.redisConnected()),
    },
    homeport_database_size_bytes: {
      type: 'gauge',
      help: 'Size of the database, at most a minute old.',
      read: database.size,
    },
    homeport_database_waiting_statements: {
      type: 'gauge',
      help: 'Statements of this node that wait for a connection to the database.',
      read: database.waiting,
    },
    homeport_database_disk_full: {
      type: 'gauge',
      help: '1 while the disk of the database is full, 0 otherwise.',
      read: () => flag(database.isDiskFull()),
    },
    homeport_postgres_restarts_total: {
      type: 'counter',
      help: 'Restarts of the embedded PostgreSQL after an unexpected end; absent with an external database.',
      read: figures.postgresRestarts,
    },
    homeport_disk_free_bytes: {
      type: 'gauge',
      help: 'Free space of the disk with the data directory.',
      read: async () => (await figures.disk())?.free ?? null,
    },
    homeport_disk_size_bytes: {
      type: 'gauge',
      help: 'Size of the disk with the data directory.',
      read: async () => (await figures.disk())?.total ?? null,
    },
    homeport_disk_reserve_bytes: {
      type: 'gauge',
      help: 'Free space below which uploads are rejected.',
      read: async () => {
        const disk = await figures.disk()
        return disk && figures.diskReserve(disk.total)
      },
    },
    homeport_files_size_bytes: {
      type: 'gauge',
      help: 'Bytes of the files of all apps, measured four times a day.',
      read: figures.fileBytes,
    },
    homeport_backup_last_success_timestamp_seconds: {
      type: 'gauge',
      help: 'Time of the last successful backup in seconds since 1970; absent before the first.',
      read: figures.lastBackup,
    },
    homeport_certificate_expiry_timestamp_seconds: {
      type: 'gauge',
      help: 'End of validity of the certificates that the server uses, in seconds since 1970.',
      labels: ['domain'],
      read: () => figures.certificates().map(({ domain, expiresAt }) => ({ labels: [domain], value: expiresAt })),
    },
    homeport_alerts: {
      type: 'gauge',
      help: '1 for each current alert.',
      labels: ['alert'],
      read: () => figures.alerts().map((id) => ({ labels: [id], value: 1 })),
    },
  }
}

function total(samples: readonly Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0)
}

function flag(isSet: boolean | null): number | null {
  return isSet === null ? null : Number(isSet)
}
