import { createHmac } from 'node:crypto'
import { isJsonObject } from '../../values/json.ts'
import { isSameSecret } from '../../values/secrets.ts'

/** The client that a session token was issued to. */
export interface TokenHolder {
  readonly clientId: string
  readonly tag: string | null
  readonly deviceId: string | null
}

export interface ReadToken extends TokenHolder {
  /** milliseconds */
  readonly givenAt: number
}

/** How long a session token is valid, in seconds. */
export const TOKEN_LIFE = 2 * 86_400

/**
 * Issues a token by which a client reopens its session on any node. It contains the client and the time, signed with the app's
 * master key (protocol/realtime, session/open as sent: a re-open carries neither tag nor device).
 * @param now milliseconds
 */
export function sessionToken(masterKey: string, appId: string, holder: TokenHolder, now = Date.now()): string {
  const payload = Buffer.from(JSON.stringify({ ...holder, at: now })).toString('base64url')
  return `${payload}.${signatureOf(masterKey, appId, payload)}`
}

/**
 * Returns the remaining lifetime of a token, in seconds.
 * @param now milliseconds
 */
export function lifeLeft({ givenAt }: ReadToken, now = Date.now()): number {
  return Math.floor(TOKEN_LIFE - (now - givenAt) / 1000)
}

/**
 * Verifies and parses a token.
 * @param now milliseconds
 * @returns null when it is invalid or expired
 */
export function readSessionToken(masterKey: string, appId: string, token: string, now = Date.now()): ReadToken | null {
  const [payload = '', signature = ''] = token.split('.')
  if (!isSameSecret(signature, signatureOf(masterKey, appId, payload))) return null
  const content: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (!isJsonObject(content)) return null
  const { clientId, tag, deviceId, at } = content
  if (typeof clientId !== 'string' || typeof at !== 'number' || at < now - TOKEN_LIFE * 1000) return null
  return {
    clientId,
    tag: typeof tag === 'string' ? tag : null,
    deviceId: typeof deviceId === 'string' ? deviceId : null,
    givenAt: at,
  }
}

function signatureOf(masterKey: string, appId: string, payload: string): string {
  return createHmac('sha256', masterKey).update(`session ${appId} ${payload}`).digest('base64url')
}
