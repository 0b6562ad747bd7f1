import { inEnglish } from '../notices/in-english.ts'
import { type Notice, textNotice } from '../notices/notice.ts'
import { PrivateAddress } from './reachable-address.ts'

/**
 * The kinds of failures:
 * - `timeout`: the whole response did not arrive in time
 * - `stopped`: the signal of the request fired
 * - `unreachable`: the connection could not be made, or was lost
 * - `private`: the address is private, and the request may not reach it (`Reach`)
 * - `too-long`: the response has more than the maximum bytes
 * - `unusable`: the request is invalid, for example because of a character not allowed in headers
 */
export type HttpFailureKind = 'timeout' | 'stopped' | 'unreachable' | 'private' | 'too-long' | 'unusable'

/** A failed exchange. It contains neither the address nor what was sent, because both may hold secrets. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind
  /** The cause in a word: the code of a network error, such as ECONNREFUSED, or the name of another error. */
  readonly reason: string

  /** The reason as data. */
  readonly notice: Notice

  constructor(kind: HttpFailureKind, given: string | Notice) {
    const reason = inEnglish(given)
    super(`${kind}: ${reason}`)
    this.name = 'HttpFailure'
    this.kind = kind
    this.reason = reason
    this.notice = typeof given === 'string' ? textNotice(given) : given
  }
}

/** Converts an error of `fetch`, or of reading the response. @param late whether the time limit has passed */
export function httpFailure(error: unknown, late: boolean): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (!(error instanceof Error)) return new HttpFailure('unreachable', typeof error)
  if (error.name === 'AbortError')
    return late ? new HttpFailure('timeout', 'TimeoutError') : new HttpFailure('stopped', error.name)
  const { cause } = error
  const reason = cause instanceof Error ? cause : error
  if (reason instanceof PrivateAddress) return new HttpFailure('private', reason.code)
  // Network errors have a cause.
  if (!(cause instanceof Error)) return new HttpFailure('unusable', error.name)
  return new HttpFailure('unreachable', 'code' in cause ? String(cause.code) : cause.name)
}
