import type { Passwords } from '../accounts/passwords.ts'
import type { Apps } from '../apps/apps.ts'
import type { Bus } from '../bus/bus.ts'
import type { Directory } from '../bus/directory.ts'
import type { NodeCounts } from '../counts.ts'
import type { Database } from '../database/pool.ts'
import type { BlobStore } from '../files/blobs/blob-store.ts'
import type { Pictures } from '../files/pictures/pictures.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Limiters } from '../limits/limiters.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { SearchServer } from '../search/server/search-server.ts'
import type { NodeQueues } from './node-queues.ts'

/** The dependencies of all apps. */
export interface AppParts {
  readonly database: Database
  readonly apps: Apps
  readonly bus: Bus
  readonly directory: Directory
  /** There are no other nodes to notify; by default there may be. */
  readonly alone?: boolean
  readonly jobs: Jobs
  readonly passwords: Passwords
  readonly limiters: Limiters
  readonly mailer: Mailer
  /** The storage of the bytes of files. */
  readonly blobs: BlobStore
  readonly pictures: Pictures
  /** Elasticsearch or OpenSearch for full-text search; null: search uses the database. */
  readonly searchServer?: SearchServer | null
  /** Returns the base URL at which clients reach the server, as far as the server knows it; without trailing slash. */
  readonly baseUrl: () => string
  /** Base URL of a host that serves files only; absent or null: none */
  readonly filesPublicUrl?: string | null
  /** Directory for messages that cannot be sent. */
  readonly outbox: string
  readonly queues: NodeQueues
  readonly counts?: NodeCounts
  readonly log: Log
}
