import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { SliceQueues } from '../scheduling/in-slices.ts'
import type { SearchIndexes } from './indexing/indexes.ts'
import type { SearchSettings } from './search-settings.ts'
import type { SearchServer } from './server/search-server.ts'

/** The search of an app: the context of all functions in this folder. */
export interface Search {
  readonly objects: ObjectStore
  /** Name of the app's schema in the database. */
  readonly schema: string
  readonly indexes: SearchIndexes
  /** The Elasticsearch or OpenSearch server with the words; null when none is configured. */
  readonly server: SearchServer | null
  /** Queues in which long work on texts waits for time slices of the event loop. */
  readonly slices: SliceQueues
  readonly log: Log
  settings(): SearchSettings
}
