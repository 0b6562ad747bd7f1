import { randomBytes } from 'node:crypto'
import { errors } from '../errors.ts'

/** Maximum characters of a key, which is a path and part of URLs. */
const MAX_KEY = 500

/** Maximum characters of an extension, including the dot. */
const MAX_ENDING = 20

/**
 * Keys that clients propose for their own files: a random name and the file's extension. The name has twenty hexadecimal digits
 * (JavaScript before 4.8), up to twenty (Python), thirty-two (Objective-C), a UUID (C#, Dart), or forty letters and digits
 * (Java). Such a proposal is accepted but ignored: the server generates the key (protocol/files, Upload).
 */
const PROPOSED = /^([0-9a-f]{8,32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{40})(\.[^/]*)?$/i

/** Generates an unguessable key: a random name followed by the extension of `name`, or by all of it with `keepName`. */
export function newKey(name: string, keepName: boolean): string {
  const random = randomBytes(20).toString('base64url').replaceAll(/[-_]/g, 'x')
  if (keepName) return `${random}/${name.replaceAll('/', '_')}`
  return `${random}${endingOf(name)}`
}

/** Returns the extension, such as `.png` of `a/b.png`; '' when there is none or it is too long. */
function endingOf(name: string): string {
  const found = /\.[A-Za-z0-9]+$/.exec(name)
  return found && found[0].length <= MAX_ENDING && found.index > 0 ? found[0].toLowerCase() : ''
}

export function isProposedKey(key: string): boolean {
  return PROPOSED.test(key)
}

/** Allowed form of a key prefix that a client sets. */
const CLIENT_PREFIX = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/

/**
 * Checks the prefix of a key. Slashes at its ends are removed.
 * @throws ApiError 1 when a client without the master key uses other characters than letters, digits, `-` and `_`
 */
export function checkKeyPrefix(wire: string, master: boolean): string {
  const prefix = wire.replace(/^\/+|\/+$/g, '')
  if (!master && !CLIENT_PREFIX.test(prefix))
    throw errors.badArgument(
      "Unsupported file prefix. 'prefix' must be a path of letters, digits, '-' and '_' such as 'gamesaves/1'; only the master key can set another one.",
    )
  return prefix
}

/**
 * Checks a key that was set with the master key.
 * @throws ApiError 1 when it cannot be the path of a URL
 */
export function checkFileKey(key: string, name = 'key'): string {
  if (!isFileKey(key))
    throw errors.badArgument(
      `'${name}' must be a path of at most ${MAX_KEY} characters such as 'avatars/1.png': no '..', no empty parts, no backslash, no control characters.`,
    )
  return key
}

/** Returns whether a text is a valid file key. Keys become paths of URLs. */
export function isFileKey(key: string): boolean {
  if (key.length > MAX_KEY || /[\p{Cc}\\]/u.test(key) || !key.isWellFormed()) return false
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** Encodes a key as the path of a URL. */
export function pathOfKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/')
}
