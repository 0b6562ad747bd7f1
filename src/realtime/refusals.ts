import { toApiError } from '../database/faults.ts'
import { ApiError } from '../errors.ts'
import { MessagingError, messagingErrors } from '../messaging/messaging-errors.ts'
import type { ErrorCommand, GenericCommand } from '../realtime-protocol/schema.ts'
import type { Answer } from './session.ts'

/** Returns the response that rejects a command. */
export type Refusal = (command: GenericCommand, error: ApiError) => Answer

/**
 * Returns the response that rejects a command.
 * @param refusal for commands that are not rejected with an `error` command
 * @returns null for unexpected errors
 */
export function refusalOf(command: GenericCommand, thrown: unknown, refusal: Refusal | null = null): Answer | null {
  // A value that the database rejects is an error of the client that sent it, as over HTTP.
  const error = toApiError(thrown)
  if (!(error instanceof ApiError)) return null
  return refusal ? refusal(command, error) : { cmd: 'error', errorMessage: errorOf(error) }
}

/**
 * Returns an error in the form for clients. Errors of the object store have no names there (protocol/realtime, Error codes,
 * 4301).
 * @param pids the clients that the error applies to, if the command succeeded for others
 */
export function errorOf(error: ApiError, pids?: readonly string[]): ErrorCommand {
  const about = pids && { pids: [...pids] }
  if (error.status === 429) return errorOf(messagingErrors.quotaExceeded(error.message), pids)
  if (!(error instanceof MessagingError))
    return { code: 4301, reason: 'CONVERSATION_API_FAILED', detail: error.message, ...about }
  const { code, reason, detail, app } = error
  return { code, reason, detail, ...(app && { appCode: app.code, appMsg: app.message }), ...about }
}
