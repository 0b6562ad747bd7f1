import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'
import { ownMember } from '../../api/own-member.ts'
import { path, segment } from '../../api/request.ts'
import { isRecord } from '../data/values/typed-value.ts'
import type { FilesSearch } from './files-search.ts'

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
  /** Of any type: clients may have stored what they like. */
  readonly size?: unknown
  readonly owner?: unknown
}

/** Takes members of other types than a record should have for missing ones. */
function recordOf(stored: Stored): FileRecord {
  const { objectId, createdAt, metaData } = stored
  const text = (name: string) => {
    const value = ownMember(stored, name)
    return typeof value === 'string' ? value : undefined
  }
  const about = isRecord(metaData) ? metaData : {}
  return {
    objectId,
    createdAt,
    name: text('name'),
    url: text('url'),
    key: text('key'),
    mime_type: text('mime_type'),
    size: ownMember(about, 'size'),
    owner: ownMember(about, 'owner'),
  }
}

interface Stored {
  readonly objectId: string
  readonly createdAt: string
  readonly [name: string]: unknown
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
      const { results } = await callApp<{ results: Stored[] }>(appId, 'GET', '/1.1/files', {
        query: { where: { ...sought, ...before }, order: '-createdAt', limit: PAGE, skip },
        signal,
      })
      return results.map(recordOf)
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
      const file = await callApp<Partial<Stored>>(appId, 'GET', path`/1.1/files/${id}`, { signal })
      return file.objectId === undefined ? null : recordOf(file as Stored)
    },
  })
}

/** Ids that stand in one path. */
const AT_ONCE = 50

/** Deletes records of files, and with the last record of their key the bytes. @throws Problem */
export async function deleteFiles(appId: string, ids: readonly string[]): Promise<void> {
  for (let n = 0; n < ids.length; n += AT_ONCE) {
    const some = ids.slice(n, n + AT_ONCE).map(segment)
    await callApp(appId, 'DELETE', `/1.1/files/${some.join(',')}`)
  }
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')
}
