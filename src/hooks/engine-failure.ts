import type { HttpFailure } from '../http-client/http-failure.ts'
import { PRIVATE_ADDRESS } from '../http-client/reachable-address.ts'

/**
 * The kinds of failures.
 * - `timeout`: the response was not complete in time
 * - `unreachable`: there is no engine, or the connection failed or was lost
 * - `status`: a status other than 200, including redirects
 * - `unreadable`: the response is too long, is not JSON, or exceeds the limits of JSON values
 * - `garbage`: the response is empty, or JSON other than an object
 */
export type FailureKind = 'timeout' | 'unreachable' | 'status' | 'unreadable' | 'garbage'

/** A failed call of the engine. Its message contains neither the engine's address nor a key (protocol/cloud-code, Security). */
export class EngineFailure extends Error {
  readonly kind: FailureKind
  /** The engine's own description of the failure, for callers; null for none. */
  readonly detail: string | null

  constructor(kind: FailureKind, message: string, detail: string | null = null) {
    super(message)
    this.name = 'EngineFailure'
    this.kind = kind
    this.detail = detail
  }
}

/** Converts a failed HTTP exchange to a failure of the engine. */
export function failureOf({ kind, reason }: HttpFailure): EngineFailure {
  switch (kind) {
    case 'timeout':
      return new EngineFailure('timeout', 'The engine did not respond in time.')
    case 'too-long':
      return new EngineFailure('unreadable', `The engine returned ${reason}.`)
    case 'unreachable':
      return new EngineFailure('unreachable', `The engine cannot be reached (${reason}).`)
    case 'private':
      return new EngineFailure('unreachable', `The engine cannot be reached: ${PRIVATE_ADDRESS}.`)
    case 'stopped':
    case 'unusable':
      return new EngineFailure('unreachable', 'The engine cannot be reached.')
  }
}
