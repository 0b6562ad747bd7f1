import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Hexadecimal digits of a trace id and of a span id (W3C Trace Context). */
const TRACE_DIGITS = 32
const SPAN_DIGITS = 16
/** Requests for which random digits are made at a time: one call for each would cost more than the rest. */
const IDS_AT_ONCE = 256

let digits = ''
let position = 0

/** Returns random hexadecimal digits. @param count at most those of a trace id */
function randomDigits(count: number): string {
  if (position + count > digits.length) {
    digits = randomBytes((IDS_AT_ONCE * (TRACE_DIGITS + SPAN_DIGITS)) / 2).toString('hex')
    position = 0
  }
  position += count
  return digits.slice(position - count, position)
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/

/**
 * Returns the id of a request: the id of its trace, which the client or a proxy may name by `traceparent` (W3C Trace Context), and
 * an id of the request in that trace. Responses return it in `X-Request-Id`, log lines contain it as `requestId`.
 */
export function makeRequestId({ traceparent }: IncomingHttpHeaders): string {
  const named =
    typeof traceparent === 'string' && traceparent.length < 200 ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  return `${named ?? randomDigits(TRACE_DIGITS)}-${randomDigits(SPAN_DIGITS)}`
}
