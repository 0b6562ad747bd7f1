import { randomFillSync } from 'node:crypto'
import { isJsonObject } from '../values/json.ts'

/** A message as it is stored and shown. Times in milliseconds. */
export interface Message {
  readonly id: string
  readonly convId: string
  /** Grows strictly within a conversation. */
  readonly ts: number
  readonly sender: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** The sender wants to know when it arrives. */
  readonly receipt: boolean
  /** When it was last edited or recalled; null when it never was. */
  readonly patchedAt: number | null
  readonly recalled: boolean
  readonly ip: string | null
}

/** Most bytes of a message in UTF-8, push data included (protocol/messaging, Limits). */
export const MAX_MESSAGE_BYTES = 5 * 1024

/** protocol/messaging, Limits */
export const MAX_MENTIONS = 20

/** What is left of a recalled message: clients know it by its type (protocol/realtime, Edit and recall: patch). */
export const RECALLED_TYPE = -127
export const RECALLED_CONTENT = `{"_lctype":${RECALLED_TYPE}}`

const ID_BYTES = 16
/** Randomness for many ids: asking for it costs more than all else about an id. */
const pool = Buffer.alloc(ID_BYTES * 256)
let used = pool.length

/** A new message id: 22 characters of URL-safe base64. */
export function newMessageId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('base64url', used - ID_BYTES, used)
}

/**
 * `_lctype` of a typed message; null for any other content (protocol/realtime, Transient, will, priority, push data,
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
