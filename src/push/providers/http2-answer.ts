import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import type { Outcome } from './provider.ts'

export interface Http2Request {
  /** Including `:method` and `:path`. */
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** The result of a request. */
export type Http2Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
  /** No response was received. The server may have processed the request nevertheless. */
  | { readonly kind: 'failed'; readonly reason: string }

export function failed(reason: string): Http2Answer {
  return { kind: 'failed', reason }
}

/** Returns the code of a network error, such as ECONNREFUSED. Its text is not used, because it can contain the request. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Returns the outcome for a device whose provider is unreachable or overloaded. */
export function later(reason: string, headers: IncomingHttpHeaders | null = null): Outcome {
  return { kind: 'later', reason, after: headers && retryAfter(headers['retry-after'], Date.now()) }
}

/**
 * Parses the header `retry-after`, which has seconds or a date. Returns milliseconds.
 * @returns null for a missing or invalid value
 */
export function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
