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
  /** Any URL when the record was created manually */
  readonly url?: string
  /** null or missing: the bytes are stored elsewhere */
  readonly key?: string | null
  readonly mime_type?: string | null
  /** Of any type: clients can store arbitrary values. */
  readonly size?: unknown
  readonly owner?: unknown
}

/** Treats members of unexpected types as missing. */
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
 * Files, newest first. A page starts at the time of the last file on the previous one, and skips files of that time already
 * returned, so that every page costs the same.
 */
export function filesQuery(appId: string, { name, kind }: Pick<FilesSearch, 'name' | 'kind'>) {
  const filters = {
    ...(name ? { name: { $regex: escaped(name), $options: 'i' } } : {}),
    ...(kind ? { mime_type: { $regex: `^${kind}/` } } : {}),
  }
  return infiniteQueryOptions({
    queryKey: [...filesKey(appId), 'list', filters],
    initialPageParam: { until: null as string | null, skip: 0 },
    queryFn: async ({ signal, pageParam: { until, skip } }) => {
      const before = until === null ? {} : { createdAt: { $lte: { __type: 'Date', iso: until } } }
      const { results } = await callApp<{ results: Stored[] }>(appId, 'GET', '/1.1/files', {
        query: { where: { ...filters, ...before }, order: '-createdAt', limit: PAGE, skip },
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
    // The response for a missing file is `{}`.
    queryFn: async ({ signal }) => {
      const file = await callApp<Partial<Stored>>(appId, 'GET', path`/1.1/files/${id}`, { signal })
      return file.objectId === undefined ? null : recordOf(file as Stored)
    },
  })
}

/** Ids per request path. */
const AT_ONCE = 50

/**
 * Deletes file records, and with the last record of a key its bytes.
 * @throws Problem
 */
export async function deleteFiles(appId: string, ids: readonly string[]): Promise<void> {
  for (let n = 0; n < ids.length; n += AT_ONCE) {
    const some = ids.slice(n, n + AT_ONCE).map(segment)
    await callApp(appId, 'DELETE', `/1.1/files/${some.join(',')}`)
  }
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')
}
