import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

/** Says to APNs who we are: one for each team. */
export interface ProviderToken {
  get(): Promise<string>
  /**
   * A new token in the place of one that APNs calls expired, as it does when our clock was wrong. It is the same one
   * again when there has been such a replacement within 20 minutes: APNs refuses who changes tokens more often.
   */
  replace(expired: string): Promise<string>
}

/** APNs takes a token for 60 minutes, and no new one within 20. */
const LIFETIME = 40 * 60_000
const CHANGE_INTERVAL = 20 * 60_000

/**
 * @param privateKey PEM, as Apple gives it in a `.p8` file
 * @param now milliseconds since the epoch
 * @throws Error when the key is none for ES256
 */
export function providerToken(teamId: string, keyId: string, privateKey: string, now = Date.now): ProviderToken {
  const key = createPrivateKey(privateKey)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('the key is not of the curve P-256')
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
    // A clock that was set back makes the token one of the future.
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
