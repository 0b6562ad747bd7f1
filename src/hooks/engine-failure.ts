import type { HttpFailure } from '../http-client/http-failure.ts'
import { PRIVATE_ADDRESS } from '../http-client/reachable-address.ts'

/**
 * - `timeout`: the whole answer was not there in time
 * - `unreachable`: there is no engine, or the connection could not be made or was lost
 * - `status`: anything but 200, redirects included
 * - `unreadable`: the response is too long, no JSON, or exceeds the limits of JSON values
 * - `garbage`: the response is empty, or JSON that is no object
 */
export type FailureKind = 'timeout' | 'unreachable' | 'status' | 'unreadable' | 'garbage'

/**
 * A call to the engine that failed. Its text names neither the engine's address nor a key (protocol/cloud-code,
 * Security).
 */
export class EngineFailure extends Error {
  readonly kind: FailureKind
  /** What the engine itself said of a failure, for those who called; null when it said nothing. */
  readonly detail: string | null

  constructor(kind: FailureKind, message: string, detail: string | null = null) {
    super(message)
    this.name = 'EngineFailure'
    this.kind = kind
    this.detail = detail
  }
}

/** An exchange that failed, as a failure of the engine. */
export function failureOf({ kind, reason }: HttpFailure): EngineFailure {
  switch (kind) {
    case 'timeout':
      return new EngineFailure('timeout', 'The engine did not answer in time.')
    case 'too-long':
      return new EngineFailure('unreadable', `The engine answered with ${reason}.`)
    case 'unreachable':
      return new EngineFailure('unreachable', `The engine cannot be reached (${reason}).`)
    case 'private':
      return new EngineFailure('unreachable', `The engine cannot be reached: ${PRIVATE_ADDRESS}.`)
    case 'stopped':
    case 'unusable':
      return new EngineFailure('unreachable', 'The engine cannot be reached.')
  }
}
