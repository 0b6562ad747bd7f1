import type { Accounts } from '../accounts/accounts.ts'
import { userOfSession } from '../accounts/users/session-user.ts'
import { errors } from '../errors.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { type LoginSignature, signLogin } from '../messaging/sessions/signatures.ts'
import type { JsonObject } from '../values/json.ts'
import { mayClientSign, type SignRequest } from './client-sign.ts'
import type { Engine } from './engine.ts'

/** The parts of an app that sign messaging logins. */
export interface SigningApp {
  readonly messaging: Messaging
  readonly accounts: Accounts
  readonly engine: Engine
}

/**
 * Returns the signature with which a user opens its messaging session, as a client with the user's id. Each signature is
 * different (protocol/messaging, Client operations). The app's hook `_rtmClientSign` may reject it.
 * @param token the user's session token
 * @param request the origin of the request
 * @throws ApiError 211 for an invalid token, 403 when the hook rejects
 */
export async function signUser(
  { messaging, accounts, engine }: SigningApp,
  token: unknown,
  request: SignRequest,
): Promise<LoginSignature> {
  const user = JSON.parse(await userOfSession(accounts, token)) as JsonObject
  const decision = await mayClientSign(engine, user, request)
  if (!decision.allowed) throw errors.forbidden(decision.reason || 'The cloud code of the app rejected the login.')
  return signLogin(messaging, String(user.objectId))
}

/** Returns the same if the app has signatures enabled. @throws ApiError 403 when they are disabled; otherwise as `signUser` */
export async function signUserIfOn(app: SigningApp, token: unknown, request: SignRequest): Promise<LoginSignature> {
  if (!app.messaging.settings().loginSignature)
    throw errors.forbidden("The setting 'messaging.loginSignature' is off, so logins cannot be signed.")
  return signUser(app, token, request)
}
