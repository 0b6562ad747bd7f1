import { isJsonObject, type Json } from './json.ts'

/** A reference to a file as jsonb prints it, and as `JSON.stringify` writes it (`typed.ts`). A text holds no `{"`. */
const STORED = /\{"id": "([A-Za-z0-9]+)", "__type": "File"\}|\{"__type":"File","id":"([A-Za-z0-9]+)"\}/g

/**
 * Puts `objectId` beside the `id` of each reference to a file in the JSON text of stored fields, at any depth
 * (protocol/storage, Shown values): the SDK for JavaScript reads `objectId` alone.
 */
export function withFileIds(data: string): string {
  if (!data.includes('"File"')) return data
  return data.replace(STORED, (_, printed?: string, written?: string) => {
    const id = printed ?? written
    return `{"__type":"File","id":"${id}","objectId":"${id}"}`
  })
}

/** The same for a parsed value. */
export function withFileIdsIn<T extends Json>(value: T): T
export function withFileIdsIn(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withFileIdsIn(item))
  if (!isJsonObject(value)) return value
  if (value.__type === 'File' && typeof value.id === 'string') return { ...value, objectId: value.id }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFileIdsIn(member)]))
}
