import type { Accounts } from '../accounts/accounts.ts'
import { userOfSession } from '../accounts/users/session-user.ts'
import { errors } from '../errors.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { type LoginSignature, signLogin } from '../messaging/sessions/signatures.ts'
import type { JsonObject } from '../values/json.ts'
import { mayClientSign, type SignRequest } from './client-sign.ts'
import type { Engine } from './engine.ts'

/** The parts of an app that have a say in who logs in to messaging. */
export interface SigningApp {
  readonly messaging: Messaging
  readonly accounts: Accounts
  readonly engine: Engine
}

/**
 * What a user opens its messaging session with, as a client whose id is the user's; another one each time
 * (protocol/messaging, Client operations). The app's hook `_rtmClientSign` may refuse.
 * @param token the user's session token
 * @param request who asks
 * @throws ApiError 211 for a token of nobody, 403 when the hook refuses
 */
export async function signUser(
  { messaging, accounts, engine }: SigningApp,
  token: unknown,
  request: SignRequest,
): Promise<LoginSignature> {
  const user = JSON.parse(await userOfSession(accounts, token)) as JsonObject
  const verdict = await mayClientSign(engine, user, request)
  if (!verdict.allowed) throw errors.forbidden(verdict.reason || 'The cloud code of the app refuses the login.')
  return signLogin(messaging, String(user.objectId))
}

/** @throws ApiError 403 when the app does not give out signatures to whoever asks; as `signUser` otherwise */
export async function signUserIfOn(app: SigningApp, token: unknown, request: SignRequest): Promise<LoginSignature> {
  if (!app.messaging.settings().loginSignature)
    throw errors.forbidden("Logins are not signed: the setting 'messaging.loginSignature' is off.")
  return signUser(app, token, request)
}
