import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../values/secrets.ts'

const MADE_ID = /^lq-([\w-]{22})-([\w-]{43})$/
const RANDOM_BYTES = 16

export interface IdSigner {
  readonly appId: string
  /** Signs the ids; the app's master key. */
  secret(): string
}

/**
 * Makes the id of a subscriber that has none yet (protocol/realtime, Subscriber ids made by the server). It cannot be
 * guessed, and its signature says whose request it was made for.
 * @param userId null: nobody's
 */
export function makeSubscriberId(signer: IdSigner, userId: string | null): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url')
  return `lq-${random}-${signatureOf(signer, random, userId)}`
}

/** Whether an id has the form of those that the server makes; the signature is not checked. */
export function isMadeByServer(id: string): boolean {
  return MADE_ID.test(id)
}

/**
 * Whether a user may go on with an id that the server made: it was made for the same user, or before anyone had logged
 * in. An id made for another user is left behind on a shared device; that user may still know it.
 */
export function isMadeFor(signer: IdSigner, id: string, userId: string): boolean {
  const [, random = '', signature = ''] = MADE_ID.exec(id) ?? []
  return [userId, null].some((owner) => isSameSecret(signature, signatureOf(signer, random, owner)))
}

function signatureOf({ appId, secret }: IdSigner, random: string, userId: string | null): string {
  const signed = JSON.stringify(['live query subscriber', appId, random, userId])
  return createHmac('sha256', secret()).update(signed).digest('base64url')
}
