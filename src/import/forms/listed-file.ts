import { checkFileKey } from '../../files/file-key.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { jsonOfFile } from './parse-json.ts'

/** A file whose bytes are stored next to the list that contains it (docs/moving-in-reference.md, Files of an export). */
export interface ListedFile {
  readonly key: string
  /** Relative to the folder of the list. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal; '' when unknown. */
  readonly md5: string
  readonly mimeType: string
  readonly name: string
}

/** Only paths below the folder of the list are read, so that a list cannot reach other files. */
const PATH = /^files\/[0-9a-f]{2}\/[0-9a-f]{40}(\.[a-z0-9]{1,10})?$/
const MD5 = /^([0-9a-f]{32})?$/

/** @returns null for a line that does not describe a file */
export function parseListedFile(text: string): ListedFile | null {
  const line = parsed(text)
  if (!isJsonObject(line)) return null
  const { key, path, size, md5, mime_type, name } = line
  if (typeof key !== 'string' || !isFileKey(key) || typeof mime_type !== 'string' || typeof name !== 'string')
    return null
  if (typeof path !== 'string' || !PATH.test(path) || typeof md5 !== 'string' || !MD5.test(md5)) return null
  if (!Number.isSafeInteger(size) || Number(size) < 0) return null
  return { key, path, size: Number(size), md5, mimeType: mime_type, name }
}

/** Checks a key. It becomes part of a URL that receives the administrator's token, so it must not lead to another path. */
function isFileKey(key: string): boolean {
  try {
    return checkFileKey(key) === key
  } catch {
    return false
  }
}

function parsed(text: string): Json {
  try {
    return jsonOfFile(text)
  } catch {
    return null
  }
}
