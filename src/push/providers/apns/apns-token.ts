import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

/** The provider token of a team, which authenticates requests to APNs. */
export interface ProviderToken {
  get(): Promise<string>
  /**
   * Returns a token to replace one that APNs reported as expired, as happens when the server's clock was wrong. Returns the
   * current token if one was replaced within the last 20 minutes: APNs rejects senders that change tokens more often.
   */
  replace(expired: string): Promise<string>
}

/** APNs accepts a token for 60 minutes, and a new one at most every 20 minutes. */
const LIFETIME = 40 * 60_000
const CHANGE_INTERVAL = 20 * 60_000

/**
 * Creates the provider token of a team.
 * @param privateKey PEM, the content of Apple's `.p8` file
 * @param now returns milliseconds since the epoch
 * @throws Error when the key is not for ES256
 */
export function providerToken(teamId: string, keyId: string, privateKey: string, now = Date.now): ProviderToken {
  const key = createPrivateKey(privateKey)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('the key must be of the curve P-256')
  let current: { readonly madeAt: number; readonly token: Promise<string> } | null = null
  let replacedAt = Number.NEGATIVE_INFINITY

  const make = () => {
    const madeAt = now()
    const token = new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(madeAt / 1000))
      .sign(key)
    current = { madeAt, token }
    return token
  }
  const get = async () => {
    const age = current ? now() - current.madeAt : LIFETIME
    // After the clock was set back, the token would be from the future.
    return current && age >= 0 && age < LIFETIME ? current.token : make()
  }
  return {
    get,
    async replace(expired) {
      if ((await get()) === expired && Math.abs(now() - replacedAt) >= CHANGE_INTERVAL) {
        replacedAt = now()
        make()
      }
      return get()
    },
  }
}
