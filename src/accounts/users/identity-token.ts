import { SignJWT } from 'jose'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'

/** Seconds that an identity token holds. */
const LIFETIME = 3600

/**
 * A token by which a user shows another service who it is, without its session token: a JWT (HS256) that whoever has the
 * app's master key can check (protocol/accounts, Identity tokens).
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
