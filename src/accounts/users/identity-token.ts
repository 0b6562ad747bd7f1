import { SignJWT } from 'jose'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'

/** Lifetime of an identity token in seconds. */
const LIFETIME = 3600

/**
 * Returns a token that proves the user's identity to another service without its session token: a JWT (HS256) that is
 * verified with the app's master key (protocol/accounts, Identity tokens).
 * @throws ApiError 206 without a session
 */
export async function identityToken(appId: string, masterKey: string, { userId }: Caller): Promise<string> {
  if (userId === null) throw errors.userWithoutSession()
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setAudience(appId)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME)
    .sign(new TextEncoder().encode(masterKey))
}
