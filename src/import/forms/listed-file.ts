import { checkFileKey } from '../../files/file-key.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { jsonOfFile } from './parse-json.ts'

/** A file whose bytes lie beside the list that tells of it (docs/moving-in.md, The way out). */
export interface ListedFile {
  readonly key: string
  /** Below the folder of the list. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal; '' where it is not known. */
  readonly md5: string
  readonly mimeType: string
  readonly name: string
}

/** What lies elsewhere is not read, whatever a list says. */
const PATH = /^files\/[0-9a-f]{2}\/[0-9a-f]{40}(\.[a-z0-9]{1,10})?$/
const MD5 = /^([0-9a-f]{32})?$/

/** @returns null for a line that tells of no file */
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

/** The key becomes part of a URL that the administrator's token goes to: it must not lead elsewhere. */
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
