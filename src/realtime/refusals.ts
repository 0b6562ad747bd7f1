import { toApiError } from '../database/faults.ts'
import { ApiError } from '../errors.ts'
import { MessagingError, messagingErrors } from '../messaging/messaging-errors.ts'
import type { ErrorCommand, GenericCommand } from '../realtime-protocol/schema.ts'
import type { Answer } from './session.ts'

/** Returns the response that refuses a command. */
export type Refusal = (command: GenericCommand, error: ApiError) => Answer

/**
 * Returns the response that refuses a command.
 * @param refusal for commands that are not refused by an `error`
 * @returns null when the error is none of the contract
 */
export function refusalOf(command: GenericCommand, thrown: unknown, refusal: Refusal | null = null): Answer | null {
  // What the database refuses because of a value is the fault of the client that sent it, as over HTTP.
  const error = toApiError(thrown)
  if (!(error instanceof ApiError)) return null
  return refusal ? refusal(command, error) : { cmd: 'error', errorMessage: errorOf(error) }
}

/**
 * An error as clients are told it. Those of the object store have no names there (protocol/realtime, Error codes,
 * 4301).
 * @param pids the clients that it is about, if others were served
 */
export function errorOf(error: ApiError, pids?: readonly string[]): ErrorCommand {
  const about = pids && { pids: [...pids] }
  if (error.status === 429) return errorOf(messagingErrors.quotaExceeded(error.message), pids)
  if (!(error instanceof MessagingError))
    return { code: 4301, reason: 'CONVERSATION_API_FAILED', detail: error.message, ...about }
  const { code, reason, detail, app } = error
  return { code, reason, detail, ...(app && { appCode: app.code, appMsg: app.message }), ...about }
}
