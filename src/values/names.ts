import { randomFillSync } from 'node:crypto'
import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { type Json, shown } from './json.ts'

const CLASS_NAME = /^_?[A-Za-z][A-Za-z0-9_]*$/
const KEY_NAME = /^[A-Za-z0-9_]+$/
const OBJECT_ID = /^[A-Za-z0-9_-]{1,128}$/
const MAX_NAME_LENGTH = 128

/**
 * Checks a class name: letters, digits and underscore, starting with a letter; built-in classes with an underscore
 * (protocol/storage, Object). @throws ApiError 103
 */
export function checkClassName(name: unknown): string {
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !CLASS_NAME.test(name)) {
    throw errors.invalidClassName(typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : shown(name as Json))
  }
  return name
}

export function isClassName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && CLASS_NAME.test(name)
}

/** Checks a field name: letters, digits and underscore only (protocol/storage, Object). @throws ApiError 105 */
export function checkKeyName(name: string): string {
  if (!isKeyName(name)) throw errors.invalidKeyName(name.slice(0, MAX_NAME_LENGTH))
  return name
}

export function isKeyName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && KEY_NAME.test(name)
}

/**
 * Checks an object id: letters and digits (protocol/conventions, Codes); `-` and `_` occur in imported data. @throws ApiError 104
 */
export function checkObjectId(id: unknown): string {
  if (!isObjectId(id)) throw errors.invalidObjectId(notice('objectIdForm', { given: shown(id as Json) }))
  return id
}

export function isObjectId(id: unknown): id is string {
  return typeof id === 'string' && OBJECT_ID.test(id)
}

/** Positions per second: the maximum of consecutive ids of one source within it. */
const IDS_PER_SECOND = 0x1000000
const IDS_PER_MILLISECOND = Math.floor(IDS_PER_SECOND / 1000)
const LAST_ID = IDS_PER_SECOND - 1

/**
 * Seconds by which the time may go back without affecting a source: a batch continues with its start time while other requests
 * make ids of the next second, and clocks are set back slightly. A time further back is intended, or the clock was far off.
 */
const CACHE_SECONDS = 60

/** Random bytes at the end of an id: 40 bits, so that ids cannot be guessed from other ids. */
const RANDOM_BYTES = 5

/**
 * Returns a source of object ids: 24 lowercase hexadecimal characters. The first 8 are the creation time in seconds
 * (protocol/conventions, Responses), the next 6 the position within that second, so that ids of several sources also sort by
 * time. The ids of one source grow with every call, even when the time goes back by less than a minute. The last 10 are random,
 * so that no id can be guessed from others, however close in time.
 */
export function objectIds(): (now?: number) => string {
  const random = Buffer.alloc(RANDOM_BYTES * 1024)
  let used = random.length
  let second = -1
  let prefix = ''
  let offset = 0
  return (now = Date.now()) => {
    const current = Math.floor(now / 1000)
    const earliest = (now - current * 1000) * IDS_PER_MILLISECOND
    if (current === second) {
      offset = Math.min(Math.max(offset + 1, earliest), LAST_ID)
    } else if (current < second && current > second - CACHE_SECONDS) {
      offset = Math.min(offset + 1, LAST_ID)
    } else {
      second = current
      prefix = current.toString(16).padStart(8, '0')
      offset = earliest
    }
    if (used === random.length) {
      randomFillSync(random)
      used = 0
    }
    const end = random.toString('hex', used, used + RANDOM_BYTES)
    used += RANDOM_BYTES
    return prefix + offset.toString(16).padStart(6, '0') + end
  }
}

/** Returns a new object id for a time in milliseconds. The process has one source of ids. */
export const newObjectId = objectIds()
