import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { SliceQueues } from '../scheduling/in-slices.ts'
import { Indexer } from './indexing/indexer.ts'
import { SearchIndexes } from './indexing/indexes.ts'
import type { Search } from './search.ts'
import type { SearchSettings } from './search-settings.ts'
import type { SearchServer } from './server/search-server.ts'

/** The running search of an app. */
export interface OpenSearch extends Search {
  readonly indexer: Indexer
}

/** Opens the search of an app. Writes made while no server was running are indexed shortly afterwards. */
export function openSearch(
  objects: ObjectStore,
  schema: string,
  log: Log,
  settings: () => SearchSettings,
  server: SearchServer | null,
  slices: SliceQueues,
): OpenSearch {
  const indexes = new SearchIndexes(objects, schema, server !== null)
  const search: Search = {
    objects,
    schema,
    indexes,
    settings,
    server,
    slices,
    log: log.child({ component: 'search', app: objects.appId }),
  }
  return { ...search, indexer: new Indexer(search) }
}
