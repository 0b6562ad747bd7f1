import { isJsonObject, type Json } from './json.ts'

/** What stands for a character that the database cannot store: U+FFFD, as decoders write it for invalid bytes. */
const REPLACEMENT = '\ufffd'

/** PostgreSQL stores neither NUL characters nor halves of surrogate pairs, in jsonb or in text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Replaces each NUL character and each half of a surrogate pair by U+FFFD (protocol/storage, Texts). Names and contents
 * are replaced; texts that identify a user or an object are checked with `isStorableText` and refused, because two
 * different ids must not become one.
 * @example
 * storableText('principal 🎉'.slice(0, 7)) // 'principal \ufffd'
 */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll('\0', REPLACEMENT).toWellFormed()
}

/** A JSON value with all its texts and keys storable. */
export function storable<T extends Json>(value: T): T
export function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map((item: Json) => storable(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]))
}

/** Escapes that `JSON.stringify` writes for what cannot be stored; a backslash that is part of a text matches too. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/

/** A value as JSON text that can be stored as jsonb. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  return UNSTORABLE_ESCAPE.test(text) ? JSON.stringify(storable(JSON.parse(text) as Json)) : text
}
