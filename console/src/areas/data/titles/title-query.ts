import { queryOptions } from '@tanstack/react-query'
import { request } from '../../../api/request.ts'
import { rowsKey } from '../data-queries.ts'
import { titleIn } from './title-field.ts'

/** The time in which title requests of cells are collected, in milliseconds. */
const COLLECTED_MS = 10
/** Ids per request. */
const AT_ONCE = 100

interface Wanted {
  readonly id: string
  resolve(title: string): void
  reject(error: unknown): void
}

/** Titles requested together, by app, class and field. */
const wanted = new Map<string, Wanted[]>()

/** Returns the query options for the title of one object; empty when it has none or does not exist. */
export function titleQuery(appId: string, className: string, field: string, id: string) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'title', id, field],
    staleTime: 60_000,
    queryFn: () =>
      new Promise<string>((resolve, reject) => {
        const key = JSON.stringify([appId, className, field])
        const known = wanted.get(key)
        if (known) known.push({ id, resolve, reject })
        else {
          wanted.set(key, [{ id, resolve, reject }])
          setTimeout(() => void readWanted(key, appId, className, field), COLLECTED_MS)
        }
      }),
  })
}

async function readWanted(key: string, appId: string, className: string, field: string): Promise<void> {
  const all = wanted.get(key) ?? []
  wanted.delete(key)
  for (let n = 0; n < all.length; n += AT_ONCE) {
    const some = all.slice(n, n + AT_ONCE)
    try {
      const titles = await readTitles(appId, className, field, [...new Set(some.map(({ id }) => id))])
      for (const { id, resolve } of some) resolve(titles.get(id) ?? '')
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
}

async function readTitles(appId: string, className: string, field: string, ids: readonly string[]) {
  // Never aborted, because several cells wait for it; the signal marks a read-only request.
  const { signal } = new AbortController()
  const body = { where: { objectId: { $in: ids } }, keys: field, limit: ids.length }
  const { results } = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
    params: { appId, className },
    body,
    signal,
  })
  return new Map(results.map((object) => [object.objectId, titleIn(object, field)]))
}
