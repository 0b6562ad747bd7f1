import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import type { Outcome } from './provider.ts'

export interface Http2Request {
  /** `:method` and `:path` among them. */
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** What came of a request. */
export type Http2Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
  /** There was no answer. The request may have been carried out all the same. */
  | { readonly kind: 'failed'; readonly reason: string }

export function failed(reason: string): Http2Answer {
  return { kind: 'failed', reason }
}

/** Only the code of a network error is shown, such as ECONNREFUSED: its text may hold the request. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** The outcome for a device whose provider is away or overloaded. */
export function later(reason: string, headers: IncomingHttpHeaders | null = null): Outcome {
  return { kind: 'later', reason, after: headers && retryAfter(headers['retry-after'], Date.now()) }
}

/**
 * Milliseconds that a server asks to be left alone for, by the header `retry-after`: seconds, or a date.
 * @returns null when it says nothing that makes sense
 */
export function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
