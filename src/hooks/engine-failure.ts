/**
 * - `timeout`: the whole answer was not there in time
 * - `unreachable`: there is no engine, or the connection could not be made or was lost
 * - `status`: anything but 200, redirects included
 * - `garbage`: the answer is no JSON object, or too long
 */
export type FailureKind = 'timeout' | 'unreachable' | 'status' | 'garbage'

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

/** What `fetch` threw, as a failure. Of an error of the connection only the code is told: its text may hold the address. */
export function failureOf(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error
  if (error instanceof Error && error.name === 'TimeoutError')
    return new EngineFailure('timeout', 'The engine did not answer in time.')
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return new EngineFailure('unreachable', `The engine cannot be reached${code}.`)
}
