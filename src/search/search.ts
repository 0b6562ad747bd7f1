import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { SliceQueues } from '../scheduling/in-slices.ts'
import type { SearchIndexes } from './indexing/indexes.ts'
import type { SearchSettings } from './search-settings.ts'
import type { SearchServer } from './server/search-server.ts'

/** The search of an app: what every function of it works on. */
export interface Search {
  readonly objects: ObjectStore
  /** The schema of the app in the database. */
  readonly schema: string
  readonly indexes: SearchIndexes
  /** The Elasticsearch or OpenSearch that has the words, where the operator has given one. */
  readonly server: SearchServer | null
  /** Where long work on texts waits for its time slices. */
  readonly slices: SliceQueues
  readonly log: Log
  settings(): SearchSettings
}
