import type { Passwords } from '../accounts/passwords.ts'
import type { Apps } from '../apps/apps.ts'
import type { Bus } from '../bus/bus.ts'
import type { Directory } from '../bus/directory.ts'
import type { Database } from '../database/pool.ts'
import type { BlobStore } from '../files/blobs/blob-store.ts'
import type { Pictures } from '../files/pictures/pictures.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Limiters } from '../limits/limiters.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { SearchServer } from '../search/server/search-server.ts'
import type { NodeQueues } from './node-queues.ts'

/** What all apps work with. */
export interface AppParts {
  readonly database: Database
  readonly apps: Apps
  readonly bus: Bus
  readonly directory: Directory
  /** There are no other nodes that would have to be told what happens; else there may be. */
  readonly alone?: boolean
  readonly jobs: Jobs
  readonly passwords: Passwords
  readonly limiters: Limiters
  readonly mailer: Mailer
  /** Where the bytes of files lie. */
  readonly blobs: BlobStore
  readonly pictures: Pictures
  /** An Elasticsearch or OpenSearch for the words of objects; null: the database has them. */
  readonly searchServer?: SearchServer | null
  /** Where clients reach the server, as far as the server knows by itself; no trailing slash. */
  readonly baseUrl: () => string
  /** Base URL of the host that serves files alone; absent or null: none */
  readonly filesPublicUrl?: string | null
  /** Directory for what cannot be sent. */
  readonly outbox: string
  readonly queues: NodeQueues
  readonly log: Log
}
