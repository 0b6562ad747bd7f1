import { errors } from '../errors.ts'

/** The page that a request asks for. The cursor is the one of the previous page, a decimal offset. */
export interface PageRequest {
  readonly limit?: number | undefined
  readonly next?: string | undefined
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

/**
 * Parses a page request. Limits outside 1–100 count as 10 (protocol/realtime, Speech bans; protocol/messaging, Limits).
 * @throws ApiError 1
 */
export function pageOf({ limit = DEFAULT_LIMIT, next = '' }: PageRequest): Page {
  if (!/^\d{0,9}$/.test(next)) throw errors.badArgument("'next' must be the value returned with the previous page.")
  const isInRange = Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT
  return { limit: isInRange ? limit : DEFAULT_LIMIT, offset: Number(next) }
}

/**
 * Splits items that were read with one more than the page holds.
 * @returns the page, and the cursor of the next page; null for the last page
 */
export function splitPage<Item>(items: readonly Item[], { limit, offset }: Page): [items: Item[], next: string | null] {
  return [items.slice(0, limit), items.length > limit ? String(offset + limit) : null]
}

export interface ClientPage {
  readonly clientIds: readonly string[]
  /** The cursor of the next page; null for the last page. */
  readonly next: string | null
}
