import { randomBytes } from 'node:crypto'
import { errors } from '../errors.ts'

/** Characters of a key: it is a path, and part of URLs. */
const MAX_KEY = 500

/** Characters of an ending, with its dot. */
const MAX_ENDING = 20

/**
 * What clients propose for a file of their own, a random name and the ending of the file's: twenty hexadecimal digits
 * (JavaScript before 4.8), up to twenty (Python), thirty-two (Objective-C), a UUID (C#, Dart), or forty letters and digits
 * (Java). They need no answer to it, and get a key of ours (protocol/files, Upload).
 */
const PROPOSED = /^([0-9a-f]{8,32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{40})(\.[^/]*)?$/i

/** A new key of which nobody can guess another: random, and the ending of the name or, to be kept, all of it. */
export function newKey(name: string, keepName: boolean): string {
  const random = randomBytes(20).toString('base64url').replaceAll(/[-_]/g, 'x')
  if (keepName) return `${random}/${name.replaceAll('/', '_')}`
  return `${random}${endingOf(name)}`
}

/** `.png` of `a/b.png`; nothing where there is none, or one that is no ending. */
function endingOf(name: string): string {
  const found = /\.[A-Za-z0-9]+$/.exec(name)
  return found && found[0].length <= MAX_ENDING && found.index > 0 ? found[0].toLowerCase() : ''
}

export function isProposedKey(key: string): boolean {
  return PROPOSED.test(key)
}

/** Characters of a key that a client puts before the random name. */
const CLIENT_PREFIX = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/

/**
 * The path before the random name of a key. Slashes at its ends mean nothing.
 * @throws ApiError 1 for one that could be no path of a URL, or with other characters than a client may use
 */
export function checkKeyPrefix(wire: string, master: boolean): string {
  const prefix = wire.replace(/^\/+|\/+$/g, '')
  if (!master && !CLIENT_PREFIX.test(prefix))
    throw errors.badArgument(
      "Unsupported file prefix. 'prefix' must be a path of letters, digits, '-' and '_' such as 'gamesaves/1'; only the master key sets another.",
    )
  return prefix
}

/**
 * Checks a key that was chosen with the master key.
 * @throws ApiError 1 for one that could be no path of a URL
 */
export function checkFileKey(key: string, name = 'key'): string {
  if (!isFileKey(key))
    throw errors.badArgument(
      `'${name}' must be a path of at most ${MAX_KEY} characters such as 'avatars/1.png': no '..', no empty parts, no backslash, no control characters.`,
    )
  return key
}

/** Whether a file can have this key, which becomes the path of a URL. */
export function isFileKey(key: string): boolean {
  if (key.length > MAX_KEY || /[\p{Cc}\\]/u.test(key) || !key.isWellFormed()) return false
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** The key as the path of a URL. */
export function pathOfKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/')
}
