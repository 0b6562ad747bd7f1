import { randomFillSync } from 'node:crypto'
import { isJsonObject } from '../values/json.ts'

/** A message as stored and returned. Times in milliseconds. */
export interface Message {
  readonly id: string
  readonly convId: string
  /** Strictly increasing within a conversation. */
  readonly ts: number
  readonly sender: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** The sender requests a delivery receipt. */
  readonly receipt: boolean
  /** When it was last edited or recalled; null if never. */
  readonly patchedAt: number | null
  readonly recalled: boolean
  readonly ip: string | null
}

/** Maximum size of a message in bytes of UTF-8, including push data (protocol/messaging, Limits). */
export const MAX_MESSAGE_BYTES = 5 * 1024

/** protocol/messaging, Limits */
export const MAX_MENTIONS = 20

/** The type and content of a recalled message, by which clients detect it (protocol/realtime, Edit and recall: patch). */
export const RECALLED_TYPE = -127
export const RECALLED_CONTENT = `{"_lctype":${RECALLED_TYPE}}`

const ID_BYTES = 16
/** Random bytes for many ids, because a call of the random source dominates the cost of an id. */
const pool = Buffer.alloc(ID_BYTES * 256)
let used = pool.length

/** Returns a new message id: 22 characters of URL-safe base64. */
export function newMessageId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('base64url', used - ID_BYTES, used)
}

/**
 * Returns `_lctype` of a typed message; null for any other content (protocol/realtime, Transient, will, priority, push data,
 * mentions, binary).
 */
export function typeOf(content: string, bin: boolean): number | null {
  if (bin || !content.startsWith('{') || !content.includes('"_lctype"')) return null
  try {
    const value: unknown = JSON.parse(content)
    const type = isJsonObject(value) ? value._lctype : null
    return typeof type === 'number' && Number.isInteger(type) && Math.abs(type) < 2 ** 31 ? type : null
  } catch {
    return null
  }
}
