import { createHash } from 'node:crypto'
import { z } from 'zod'
import { errors } from '../errors.ts'
import type { Position } from './order.ts'

/** Milliseconds for which a cursor is valid (protocol/search, Pages). */
const LIFETIME = 5 * 60_000
const MAX_LENGTH = 16_000

/** The position of a search after a page. */
export interface SearchCursor extends Position {
  /** Weights of the query's terms, so that all pages have the same order; null: no ranking. */
  readonly weights: readonly number[] | null
  /** Id of the newest object when the search began. */
  readonly newest: string
}

const form = z.strictObject({
  until: z.number(),
  query: z.string().max(64),
  weights: z.array(z.number().min(0).max(1e6)).max(100).nullable(),
  newest: z.string().max(200),
  values: z.array(z.string().max(2000).refine(isScalar).nullable()).max(5),
  id: z.string().max(200),
  place: z.int().min(0).max(1000),
})

/**
 * Serializes a cursor as text. It contains the complete state, so the server stores nothing for abandoned searches. It reveals
 * only data that the client has seen and grants no permissions: a forged cursor only changes the order.
 * @param query identifies the query that the cursor belongs to
 * @param now milliseconds since the epoch
 */
export function writeCursor(cursor: SearchCursor, query: readonly string[], now: number): string {
  const { weights, newest, values, id, place } = cursor
  const content: z.infer<typeof form> = {
    until: now + LIFETIME,
    query: digest(query),
    weights: weights && [...weights],
    newest,
    values: [...values],
    id,
    place,
  }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

/** Parses a cursor. @throws ApiError 102 when it is invalid, older than five minutes, or belongs to another query */
export function readCursor(text: unknown, query: readonly string[], now: number): SearchCursor {
  const parsed = form.safeParse(contentOf(text))
  if (!parsed.success) throw errors.invalidQuery("The parameter 'sid' must be the 'sid' of a response.")
  const { until, query: ofQuery, ...cursor } = parsed.data
  if (ofQuery !== digest(query))
    throw errors.invalidQuery(
      "The parameter 'sid' belongs to another search; keep 'q', 'clazz' and the order of the first page.",
    )
  if (until < now) throw errors.invalidQuery("The parameter 'sid' has expired after 5 minutes; repeat the search.")
  return cursor
}

function contentOf(text: unknown): unknown {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

/** Returns whether a text is JSON of a string, number or boolean that jsonb can store. */
function isScalar(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000')
    return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean'
  } catch {
    return false
  }
}

function digest(query: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 22)
}
