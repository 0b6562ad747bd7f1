import { errors } from '../../errors.ts'
import { checkHistorySignature } from '../../messaging/sessions/signatures.ts'
import type { Call } from '../call.ts'
import { requiredClient, requiredText, requiredTime } from '../request-fields.ts'

/**
 * Returns the reader of a history (protocol/messaging, History query): the master key, or a client with a signature if
 * the app requires signatures for history.
 * @param name of the parameter that names the client
 * @param convId as signed
 * @returns the client; null for the master key
 * @throws ApiError 1, 401; MessagingError 4302
 */
export function checkViewer({ app, caller, parameters }: Call, name: string, convId: string): string | null {
  if (caller.master) return null
  if (!app.messaging.settings().historySignature) throw errors.unauthorized()
  const viewer = requiredClient(parameters, name)
  checkHistorySignature(app.messaging, viewer, convId, {
    timestamp: requiredTime(parameters, 'signature_ts'),
    nonce: requiredText(parameters, 'nonce'),
    text: requiredText(parameters, 'signature'),
  })
  return viewer
}
