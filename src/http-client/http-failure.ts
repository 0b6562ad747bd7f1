import { inEnglish } from '../notices/in-english.ts'
import { type Notice, textNotice } from '../notices/notice.ts'
import { PrivateAddress } from './reachable-address.ts'

/**
 * - `timeout`: the whole answer was not there in time
 * - `stopped`: the signal of the request fired
 * - `unreachable`: the connection could not be made, or was lost
 * - `private`: the address is private, and the request may not reach it (`Reach`)
 * - `too-long`: the answer has more bytes than are read
 * - `unusable`: the request cannot be made, because of a character that no header can carry, for example
 */
export type HttpFailureKind = 'timeout' | 'stopped' | 'unreachable' | 'private' | 'too-long' | 'unusable'

/** An exchange that failed. It tells neither the address nor what was sent: both may hold secrets. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind
  /** In a word, what was wrong: the code of an error of the network, such as ECONNREFUSED, or the name of another one. */
  readonly reason: string

  /** The same as data. */
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

/** What `fetch`, or reading its answer, threw. @param late whether the time was over */
export function httpFailure(error: unknown, late: boolean): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (!(error instanceof Error)) return new HttpFailure('unreachable', typeof error)
  if (error.name === 'AbortError')
    return late ? new HttpFailure('timeout', 'TimeoutError') : new HttpFailure('stopped', error.name)
  const { cause } = error
  const reason = cause instanceof Error ? cause : error
  if (reason instanceof PrivateAddress) return new HttpFailure('private', reason.code)
  // Without a cause it is not the network.
  if (!(cause instanceof Error)) return new HttpFailure('unusable', error.name)
  return new HttpFailure('unreachable', 'code' in cause ? String(cause.code) : cause.name)
}
