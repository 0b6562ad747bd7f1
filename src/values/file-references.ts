import { isJsonObject, type Json } from './json.ts'

/**
 * A reference to a file as printed by jsonb, and as written by `JSON.stringify` (`typed.ts`), with any id that `names.ts` accepts.
 * Strings cannot contain an unescaped `{"`.
 */
const STORED = /\{"id": "([A-Za-z0-9_-]+)", "__type": "File"\}|\{"__type":"File","id":"([A-Za-z0-9_-]+)"\}/g

/**
 * Adds `objectId` beside the `id` of each reference to a file in the JSON text of stored fields, at any depth (protocol/storage,
 * Shown values): the JavaScript SDK reads only `objectId`.
 */
export function withFileIds(data: string): string {
  if (!data.includes('"File"')) return data
  return data.replace(STORED, (_, printed?: string, written?: string) => {
    const id = printed ?? written
    return `{"__type":"File","id":"${id}","objectId":"${id}"}`
  })
}

/** Adds `objectId` to the references in a parsed value, as `withFileIds`. */
export function withFileIdsIn<T extends Json>(value: T): T
export function withFileIdsIn(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withFileIdsIn(item))
  if (!isJsonObject(value)) return value
  if (value.__type === 'File' && typeof value.id === 'string') return { ...value, objectId: value.id }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFileIdsIn(member)]))
}
