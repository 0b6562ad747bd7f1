import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'
import { path } from '../../api/request.ts'
import type { FilesSearch } from './routes.ts'

/** The record of a file. */
export interface FileRecord {
  readonly objectId: string
  /** ISO */
  readonly createdAt: string
  readonly name?: string
  /** Of anywhere, where the record was made by hand */
  readonly url?: string
  /** null or missing: the bytes lie elsewhere */
  readonly key?: string | null
  readonly mime_type?: string | null
  readonly metaData?: { readonly size?: number; readonly owner?: string } | null
}

const PAGE = 60

export function filesKey(appId: string) {
  return ['apps', appId, 'files'] as const
}

/**
 * Files, the newest first. A page begins at the time of the last file before it, and leaves out those of that very time that
 * have been there: so it costs the same wherever it begins.
 */
export function filesQuery(appId: string, { name, kind }: Pick<FilesSearch, 'name' | 'kind'>) {
  const sought = {
    ...(name ? { name: { $regex: escaped(name), $options: 'i' } } : {}),
    ...(kind ? { mime_type: { $regex: `^${kind}/` } } : {}),
  }
  return infiniteQueryOptions({
    queryKey: [...filesKey(appId), 'list', sought],
    initialPageParam: { until: null as string | null, skip: 0 },
    queryFn: async ({ signal, pageParam: { until, skip } }) => {
      const before = until === null ? {} : { createdAt: { $lte: { __type: 'Date', iso: until } } }
      const { results } = await callApp<{ results: FileRecord[] }>(appId, 'GET', '/1.1/files', {
        query: { where: { ...sought, ...before }, order: '-createdAt', limit: PAGE, skip },
        signal,
      })
      return results
    },
    getNextPageParam: (page, pages) => {
      const until = page.at(-1)?.createdAt
      if (page.length < PAGE || until === undefined) return undefined
      return { until, skip: pages.flat().filter(({ createdAt }) => createdAt === until).length }
    },
  })
}

export function fileQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...filesKey(appId), 'one', id],
    // Of a file that is not there nothing but `{}` is answered.
    queryFn: async ({ signal }) => {
      const file = await callApp<Partial<FileRecord>>(appId, 'GET', path`/1.1/files/${id}`, { signal })
      return file.objectId === undefined ? null : (file as FileRecord)
    },
  })
}

/** Ids that stand in one path. */
const AT_ONCE = 50

/** Deletes records of files, and with the last record of their key the bytes. @throws Problem */
export async function deleteFiles(appId: string, ids: readonly string[]): Promise<void> {
  for (let n = 0; n < ids.length; n += AT_ONCE) {
    const some = ids.slice(n, n + AT_ONCE).map(encodeURIComponent)
    await callApp(appId, 'DELETE', `/1.1/files/${some.join(',')}`)
  }
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')
}
