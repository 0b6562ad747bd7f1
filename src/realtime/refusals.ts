import { toApiError } from '../database/faults.ts'
import { ApiError } from '../errors.ts'
import { MessagingError, messagingErrors } from '../messaging/messaging-errors.ts'
import type { ErrorCommand, GenericCommand } from '../realtime-protocol/schema.ts'
import type { Answer } from './session.ts'

/**
 * The answer that refuses a request. A message is refused by its acknowledgement (protocol/realtime, Sending: direct).
 * @returns null when the error is none of the contract
 */
export function refusalOf({ cmd, directMessage }: GenericCommand, thrown: unknown): Answer | null {
  // What the database refuses for the sake of a value is the fault of who sent it, as over HTTP.
  const error = toApiError(thrown)
  if (!(error instanceof ApiError)) return null
  if (cmd !== 'direct') return { cmd: 'error', errorMessage: errorOf(error) }
  const { code, reason, appCode, appMsg } = error.code === 1 ? TOO_LONG : errorOf(error)
  return { cmd: 'ack', ackMessage: { cid: directMessage?.cid, code, reason, appCode, appMsg } }
}

/** A message over the limits (protocol/realtime, Error codes, 4109). */
const TOO_LONG: ErrorCommand = { code: 4109, reason: 'FRAME_TOO_LONG' }

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
