import type { Sessions } from '../accounts/sessions.ts'
import { errors } from '../errors.ts'
import type { Messaging } from './messaging.ts'
import { type LoginSignature, signLogin } from './signatures.ts'

/**
 * What a user opens its messaging session with, as a client whose id is the user's; another one each time (spec/3, Client
 * operations).
 * @param token the user's session token
 * @throws ApiError 403 when the app does not sign logins, 211 for a token of nobody
 */
export async function signUser(
  messaging: Messaging,
  sessions: Pick<Sessions, 'userOf'>,
  token: string,
): Promise<LoginSignature> {
  if (!messaging.settings().loginSignature)
    throw errors.forbidden("Logins are not signed: the setting 'messaging.loginSignature' is off.")
  const userId = await sessions.userOf(token)
  if (userId === null) throw errors.userNotFound()
  return signLogin(messaging, userId)
}
