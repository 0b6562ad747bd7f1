import { randomFillSync } from 'node:crypto'
import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { type Json, shown } from './json.ts'

const CLASS_NAME = /^_?[A-Za-z][A-Za-z0-9_]*$/
const KEY_NAME = /^[A-Za-z0-9_]+$/
const OBJECT_ID = /^[A-Za-z0-9_-]{1,128}$/
const MAX_NAME_LENGTH = 128

/**
 * Letters, digits and underscore, starting with a letter; built-in classes with an underscore (protocol/storage,
 * Object).
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

/** Letters, digits and underscore only, else error 105 (protocol/storage, Object). */
export function checkKeyName(name: string): string {
  if (!isKeyName(name)) throw errors.invalidKeyName(name.slice(0, MAX_NAME_LENGTH))
  return name
}

export function isKeyName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && KEY_NAME.test(name)
}

/** Object ids are letters and digits (protocol/conventions, Codes); `-` and `_` occur in imported data. */
export function checkObjectId(id: unknown): string {
  if (!isObjectId(id)) throw errors.invalidObjectId(notice('objectIdForm', { given: shown(id as Json) }))
  return id
}

export function isObjectId(id: unknown): id is string {
  return typeof id === 'string' && OBJECT_ID.test(id)
}

/** How many positions a second has: ids of one source that can follow each other within it. */
const PLACES = 0x1000000
const PLACES_A_MILLISECOND = Math.floor(PLACES / 1000)
const LAST_PLACE = PLACES - 1

/**
 * How many seconds a source does not go back: a batch goes on by the time it began at while other requests make ids of
 * the next second, and clocks are set back a little. A time further back is meant, or the clock was far wrong.
 */
const KEPT_SECONDS = 60

/** Random bytes at the end of an id: 40 bits, so that ids cannot be guessed from other ids. */
const RANDOM_BYTES = 5

/**
 * A source of object ids: 24 lowercase hexadecimal characters. The first 8 are the creation time in seconds
 * (protocol/conventions, Responses), the next 6 the place within that second, so that ids sort by time also where
 * several sources make them; the ids of one source grow with every call, also when the time given goes back by less than
 * a minute. The last 10 are random: who knows some ids cannot guess others, however close in time.
 */
export function objectIds(): (now?: number) => string {
  const random = Buffer.alloc(RANDOM_BYTES * 1024)
  let used = random.length
  let second = -1
  let prefix = ''
  let place = 0
  return (now = Date.now()) => {
    const current = Math.floor(now / 1000)
    const earliest = (now - current * 1000) * PLACES_A_MILLISECOND
    if (current === second) {
      place = Math.min(Math.max(place + 1, earliest), LAST_PLACE)
    } else if (current < second && current > second - KEPT_SECONDS) {
      place = Math.min(place + 1, LAST_PLACE)
    } else {
      second = current
      prefix = current.toString(16).padStart(8, '0')
      place = earliest
    }
    if (used === random.length) {
      randomFillSync(random)
      used = 0
    }
    const end = random.toString('hex', used, used + RANDOM_BYTES)
    used += RANDOM_BYTES
    return prefix + place.toString(16).padStart(6, '0') + end
  }
}

/** A new object id, by the time given in milliseconds. The process has one source of them. */
export const newObjectId = objectIds()
