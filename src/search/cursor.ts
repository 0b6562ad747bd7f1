import { createHash } from 'node:crypto'
import { z } from 'zod'
import { errors } from '../errors.ts'
import type { Place } from './order.ts'

/** Milliseconds that a cursor is valid (protocol/search, Pages). */
const LIFETIME = 5 * 60_000
const MAX_LENGTH = 16_000

/** Where a search stands. */
export interface SearchCursor extends Place {
  /** What the terms of the query weigh, so that all pages have one order; null: they have none. */
  readonly weights: readonly number[] | null
  /** The newest object that there was when the search began. */
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
 * The text that stands for a place. It holds all that there is to know, so that nothing is stored for searches that nobody
 * goes on with. It says nothing that its client was not shown, and grants nothing: who makes one up has another order.
 * @param query what the cursor belongs to
 * @param now milliseconds
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

/** @throws ApiError 102 when it is none, is older than five minutes, or belongs to another query */
export function readCursor(text: unknown, query: readonly string[], now: number): SearchCursor {
  const parsed = form.safeParse(contentOf(text))
  if (!parsed.success) throw errors.invalidQuery("The parameter 'sid' must be the 'sid' of an answer.")
  const { until, query: ofQuery, ...cursor } = parsed.data
  if (ofQuery !== digest(query))
    throw errors.invalidQuery(
      "The parameter 'sid' belongs to another search: 'q', 'clazz' and the order stay the same.",
    )
  if (until < now) throw errors.invalidQuery("The parameter 'sid' is older than 5 minutes; search anew.")
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

/** The JSON text of a value that jsonb can hold, and that is neither list nor object. */
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
