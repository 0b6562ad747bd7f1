import type { IncomingMessage } from 'node:http'
import type { AdministratorLogin } from '../administrators/login.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { Apps } from '../apps/apps.ts'
import type { Backups } from '../backup/backups.ts'
import type { Directory } from '../bus/directory.ts'
import type { Database } from '../database/pool.ts'
import type { Doctor } from '../doctor/doctor.ts'
import type { Exports } from '../export/exports.ts'
import type { BlobStore } from '../files/blobs/blob-store.ts'
import type { NodeHealth } from '../health-history/node-health.ts'
import type { ImportMeans } from '../import/write/write-batch.ts'
import type { Connections } from '../limits/connections.ts'
import type { Limiter } from '../limits/limiters.ts'
import type { Log } from '../log.ts'
import type { LogTail } from '../log-tail.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Moves } from '../moves/moves.ts'
import type { SentRequest } from '../proxies.ts'
import type { RunningApps } from '../running-app/running-app.ts'
import type { ClientsServed } from '../scheduling/clients-served.ts'
import type { Tls } from '../tls/tls.ts'

/** The parts of the running program that endpoints call into; built once by `server.ts`. */
export interface Server {
  readonly apps: Apps
  readonly running: RunningApps
  readonly database: Database
  readonly directory: Directory
  /** Whether nodes are connected to each other by Redis; null when no Redis is configured. */
  readonly redisConnected: () => boolean | null
  readonly exports: Exports
  readonly backups: Backups
  readonly imports: ImportMeans
  readonly clientsServed: ClientsServed
  readonly moves: Moves
  /** The storage of the bytes of files. */
  readonly blobs: BlobStore
  readonly metrics: Metrics
  readonly alerts: Alerts
  /** The state of this node and its recorded history. */
  readonly health: NodeHealth
  /** Examines this node, and proves its identity. */
  readonly doctor: Doctor
  readonly logTail: LogTail
  /** Whether the server is stopping while it still serves requests. */
  readonly isStopping: () => boolean
  readonly log: Log
  readonly administratorLogin: AdministratorLogin
  readonly adminToken: string
  /** Address ranges from which administrators are admitted; empty: all. */
  readonly adminAddresses: readonly string[]
  /** The token that reads `/metrics`, besides the administrator's; null: none. */
  readonly metricsToken: string | null
  /** Address ranges that read `/metrics` without a token. */
  readonly metricsAddresses: readonly string[]
  readonly connections: Connections
  /** How the server serves TLS; null: it serves plain HTTP. */
  readonly tls: Tls | null
  /** Limits requests with a wrong key by address; null: not limited. */
  readonly wrongKeys: Limiter | null
  /** Limits requests that need no key by address; null: not limited. */
  readonly withoutKey: Limiter | null
  /** Base URL at which clients reach the server; null when not configured. */
  readonly publicUrl: string | null
  /** Base URL of the host that serves only files; null: none. */
  readonly filesPublicUrl: string | null
  /** Returns the sender of a request and its transport, according to trusted proxies. */
  readonly asSent: (request: IncomingMessage) => SentRequest
  /** URL at which the server listens on this machine. */
  readonly localUrl: () => string
}
