import type { QueryClient } from '@tanstack/react-query'
import { type DataObject, objectQuery, type RowPage, rowsKey } from '../data-queries.ts'

/** Returns the cached object; undefined when it is in no cached page. */
export function knownObject(
  queries: QueryClient,
  appId: string,
  className: string,
  objectId: string,
): DataObject | undefined {
  const pages = queries.getQueriesData<RowPage>({ queryKey: [...rowsKey(appId, className), 'page'] })
  for (const [, page] of pages) {
    const found = page?.results.find((object) => object.objectId === objectId)
    if (found) return found
  }
  return queries.getQueryData(objectQuery(appId, className, objectId).queryKey) ?? undefined
}

/** Replaces an object in the cache; null removes it. */
export function keepObject(
  queries: QueryClient,
  appId: string,
  className: string,
  objectId: string,
  object: DataObject | null,
): void {
  queries.setQueriesData<RowPage>({ queryKey: [...rowsKey(appId, className), 'page'] }, (page) => {
    if (!page?.results.some((one) => one.objectId === objectId)) return page
    const results = page.results.flatMap((one) => (one.objectId !== objectId ? [one] : object ? [object] : []))
    return { ...page, results }
  })
  const { queryKey } = objectQuery(appId, className, objectId)
  if (queries.getQueryData(queryKey) !== undefined) queries.setQueryData(queryKey, object)
}
