import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../values/secrets.ts'

const MADE_ID = /^lq-([\w-]{22})-([\w-]{43})$/
const RANDOM_BYTES = 16

export interface IdSigner {
  readonly appId: string
  /** Returns the app's master key, which signs the ids. */
  secret(): string
}

/**
 * Makes the id of a new subscriber (protocol/realtime, Subscriber ids made by the server). It cannot be guessed, and its
 * signature covers the user that requested it.
 * @param userId null for anonymous
 */
export function makeSubscriberId(signer: IdSigner, userId: string | null): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url')
  return `lq-${random}-${signatureOf(signer, random, userId)}`
}

/** Returns whether an id has the form of those that the server makes; the signature is not checked. */
export function isMadeByServer(id: string): boolean {
  return MADE_ID.test(id)
}

/**
 * Returns whether a user may use an id that the server made: it was made for the same user, or before any login. An id that was
 * made for another user of a shared device is rejected, because that user may still know it.
 */
export function isMadeFor(signer: IdSigner, id: string, userId: string): boolean {
  const [, random = '', signature = ''] = MADE_ID.exec(id) ?? []
  return [userId, null].some((owner) => isSameSecret(signature, signatureOf(signer, random, owner)))
}

function signatureOf({ appId, secret }: IdSigner, random: string, userId: string | null): string {
  const signed = JSON.stringify(['live query subscriber', appId, random, userId])
  return createHmac('sha256', secret()).update(signed).digest('base64url')
}
