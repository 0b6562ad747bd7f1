import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import type { Platform } from './platform.ts'
import { requestPlatformJson } from './platform-request.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals, unreachable } from './refusals.ts'
import { neededText, sentText } from './text-members.ts'

const ISSUER = 'https://appleid.apple.com'
const KEYS = 'https://appleid.apple.com/auth/keys'

type AppleSettings = NonNullable<PlatformSettings['lc_apple']>

/**
 * Verifies the identity token that Apple signs for a user and an app. The token identifies the user by `sub`: a `uid`
 * that is sent must equal it, and a missing `uid` is filled in.
 */
export function lcApple(settings: AppleSettings, timeout: number): Platform {
  return {
    async check(data) {
      const uid = sentText('lc_apple', data, 'uid')
      const token = neededText('lc_apple', data, 'identity_token')
      if (sentText('lc_apple', data, 'unionid') !== undefined)
        throw refusals.linkedSession("Apple cannot verify a 'unionid'; omit it.")

      const { sub } = await verify(token, settings, timeout)
      if (!sub) throw refusals.linkedSession("The 'sub' of 'identity_token' is empty.")
      if (uid !== undefined && uid !== sub) throw refusals.linkedSession("'uid' does not match 'identity_token'.")
      return uid === undefined ? { ...data, uid: sub } : data
    },
  }
}

/** @throws ApiError 251 when the token is invalid, 511 when the keys to verify it cannot be fetched */
async function verify(token: string, settings: AppleSettings, timeout: number): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keysAt(settings.jwks ?? KEYS, timeout), {
      algorithms: ['RS256'],
      issuer: settings.issuer ?? ISSUER,
      audience: settings.clientIds,
      requiredClaims: ['exp', 'sub'],
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWKSInvalid) throw unreachable('the response is not a JSON Web Key Set')
    if (error instanceof errors.JOSEError)
      throw refusals.linkedSession(`'identity_token' is invalid: ${reasonOf(error)}.`)
    throw error
  }
}

interface KeySet {
  readonly keys: RemoteJWKSet
  /** Timeout of the latest check in milliseconds, which applies to the next fetch. */
  timeout: number
}

/** Fetched key sets by their URL. They are public and the same for all apps; each set is fetched again when a key is missing. */
const keySets = new Map<string, KeySet>()

function keysAt(url: string, timeout: number): RemoteJWKSet {
  const known = keySets.get(url)
  if (known) {
    known.timeout = timeout
    return known.keys
  }
  const keys = createRemoteJWKSet(new URL(url), {
    [customFetch]: async () => Response.json(await requestPlatformJson(new URL(url), set.timeout)),
  })
  const set: KeySet = { keys, timeout }
  keySets.set(url, set)
  return keys
}

/** Returns which rule the token breaks; never a value of the token. */
function reasonOf(error: errors.JOSEError): string {
  return error instanceof errors.JWTClaimValidationFailed ? `its '${error.claim}' is wrong` : error.code
}
