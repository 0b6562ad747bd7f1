import type { IncomingMessage } from 'node:http'
import type { AdministratorLogin } from '../administrators/login.ts'
import type { Apps } from '../apps/apps.ts'
import type { Directory } from '../bus/directory.ts'
import type { Database } from '../database/pool.ts'
import type { Exports } from '../export/exports.ts'
import type { BlobStore } from '../files/blobs/blob-store.ts'
import type { NodeHealth } from '../health-history/node-health.ts'
import type { ImportMeans } from '../import/write/write-batch.ts'
import type { Connections } from '../limits/connections.ts'
import type { Limiter } from '../limits/limiters.ts'
import type { Log } from '../log.ts'
import type { LogTail } from '../log-tail.ts'
import type { Moves } from '../moves/moves.ts'
import type { SentRequest } from '../proxies.ts'
import type { RunningApps } from '../running-app/running-app.ts'
import type { ClientsServed } from '../scheduling/clients-served.ts'
import type { Metrics } from './prometheus.ts'

/** The parts of the running program that endpoints call into; built once by `server.ts`. */
export interface Server {
  readonly apps: Apps
  readonly running: RunningApps
  readonly database: Database
  readonly directory: Directory
  /** Whether nodes hear each other by way of Redis; null when no Redis is configured. */
  readonly redisConnected: () => boolean | null
  readonly exports: Exports
  readonly imports: ImportMeans
  readonly clientsServed: ClientsServed
  readonly moves: Moves
  /** Where the bytes of files lie. */
  readonly blobs: BlobStore
  readonly metrics: Metrics
  /** How this node is, and what it writes down of that. */
  readonly health: NodeHealth
  readonly logTail: LogTail
  /** It serves still, and will soon serve no more. */
  readonly isStopping: () => boolean
  readonly log: Log
  readonly administratorLogin: AdministratorLogin
  readonly adminToken: string
  /** Ranges from which administrators are let in; none: from everywhere. */
  readonly adminAddresses: readonly string[]
  readonly connections: Connections
  /** Counts requests with a wrong key by their address; null: they are not limited. */
  readonly wrongKeys: Limiter | null
  /** The same of requests that need no key. */
  readonly withoutKey: Limiter | null
  /** Base URL under which clients reach the server; null when nobody said it. */
  readonly publicUrl: string | null
  /** Base URL of the host that serves files alone; null: none. */
  readonly filesPublicUrl: string | null
  /** Who sent a request and how, as far as trusted proxies say. */
  readonly asSent: (request: IncomingMessage) => SentRequest
  /** Where the server listens, as a URL of this machine. */
  readonly localUrl: () => string
}
