import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../../values/secrets.ts'
import type { Messaging } from '../messaging.ts'
import { type MessagingError, messagingErrors } from '../messaging-errors.ts'

/** Proof that the app's back end has approved a request: `t`, `n` and `s` on the wire. */
export interface Signature {
  /** As signed: milliseconds, or seconds (protocol/realtime, Signatures). */
  readonly timestamp: number
  readonly nonce: string
  /** Hexadecimal, in either case. */
  readonly text: string
}

/** A signature with which a user opens a session (protocol/messaging, Signature result). */
export interface LoginSignature {
  readonly signature: string
  readonly nonce: string
  readonly client_id: string
  /** milliseconds */
  readonly timestamp: number
}

export type BlacklistAction =
  | 'conversation-block-clients'
  | 'conversation-unblock-clients'
  | 'client-block-conversations'
  | 'client-unblock-conversations'

/**
 * Prefix of the nonces of logins that this server signs. The signed text of a login equals that of a conversation without other
 * members (protocol/realtime, Signatures), so the nonce must tell them apart.
 */
const LOGIN_NONCE = 'login-'
/** The actions at the end of signed texts. A nonce with such an end could turn a text with an action into one without. */
const ENDS_WITH_ACTION = /:(invite|kick|conversation-(un)?block-clients|client-(un)?block-conversations)$/

const VALIDITY = 6 * 3_600_000
/** A smaller timestamp is in seconds: as milliseconds it would be in the year 1973. */
const FIRST_MILLISECONDS = 100_000_000_000

/** Signs the login of a user's client. */
export function signLogin(messaging: Messaging, clientId: string, now = Date.now()): LoginSignature {
  const nonce = `${LOGIN_NONCE}${randomBytes(12).toString('hex')}`
  const signature = sign(messaging.masterKey(), [messaging.appId, clientId, '', now, nonce])
  return { signature, nonce, client_id: clientId, timestamp: now }
}

/**
 * Checks the signature of an open or a refresh. Signatures from before the last kick of the client are invalid.
 * @throws MessagingError 4102
 */
export async function checkSessionSignature(
  messaging: Messaging,
  clientId: string,
  signature: Signature | null,
): Promise<void> {
  if (!messaging.settings().sessionSignature) return
  const fault = messagingErrors.signatureFailed
  const parts = ({ timestamp, nonce }: Signature) => [messaging.appId, clientId, '', timestamp, nonce]
  check(messaging, signature, fault, parts, 'login')
  const kick = await messaging.kicks.last(clientId)
  if (kick && millisecondsOf(signature!) <= kick.ts)
    throw fault('The signature is older than the last time the client was kicked.')
}

/**
 * Checks the signature for creating a conversation.
 * @param members in the transmitted order
 * @throws MessagingError 4302
 */
export function checkStartSignature(
  messaging: Messaging,
  clientId: string,
  members: readonly string[],
  signature: Signature | null,
): void {
  if (!messaging.settings().conversationSignature) return
  check(messaging, signature, messagingErrors.conversationSignatureFailed, ({ timestamp, nonce }) => [
    messaging.appId,
    clientId,
    ...sorted(members),
    timestamp,
    nonce,
  ])
}

/**
 * Checks the signature for adding or removing members. A client that leaves needs none.
 * @param members in the transmitted order
 * @throws MessagingError 4302
 */
export function checkMemberSignature(
  messaging: Messaging,
  clientId: string,
  convId: string,
  action: 'invite' | 'kick',
  members: readonly string[],
  signature: Signature | null,
): void {
  if (!messaging.settings().conversationSignature) return
  if (action === 'kick' && members.every((member) => member === clientId)) return
  check(messaging, signature, messagingErrors.conversationSignatureFailed, ({ timestamp, nonce }) => [
    messaging.appId,
    clientId,
    convId,
    ...sorted(members),
    timestamp,
    nonce,
    action,
  ])
}

/**
 * Checks the signature for changing a blacklist.
 * @param clientIds the clients that a conversation blocks or unblocks, in the transmitted order; empty when a client blocks or
 *   unblocks a conversation
 * @throws MessagingError 4546
 */
export function checkBlacklistSignature(
  messaging: Messaging,
  clientId: string,
  convId: string,
  action: BlacklistAction,
  clientIds: readonly string[],
  signature: Signature | null,
): void {
  if (!messaging.settings().conversationSignature) return
  check(messaging, signature, messagingErrors.blacklistSignatureFailed, ({ timestamp, nonce }) => [
    messaging.appId,
    clientId,
    convId,
    ...sorted(clientIds),
    timestamp,
    nonce,
    action,
  ])
}

/** Checks the signature for reading history over REST. @throws MessagingError 4302 */
export function checkHistorySignature(
  messaging: Messaging,
  clientId: string,
  convId: string,
  signature: Signature | null,
): void {
  if (!messaging.settings().historySignature) return
  check(messaging, signature, messagingErrors.conversationSignatureFailed, ({ timestamp, nonce }) => [
    messaging.appId,
    clientId,
    convId,
    nonce,
    timestamp,
  ])
}

function check(
  messaging: Messaging,
  signature: Signature | null,
  fault: (detail: string) => MessagingError,
  parts: (signature: Signature) => readonly (string | number)[],
  kind: 'login' | 'other' = 'other',
): void {
  if (!signature?.text) throw fault('A signature is required.')
  const { nonce } = signature
  if (kind !== 'login' && nonce.startsWith(LOGIN_NONCE))
    throw fault('The signature is one of a login and not valid for this action.')
  if (ENDS_WITH_ACTION.test(nonce)) throw fault('The nonce of the signature must not end with an action.')
  if (!(Math.abs(Date.now() - millisecondsOf(signature)) <= VALIDITY))
    throw fault('The timestamp of the signature must be within 6 hours of the server time.')
  if (!isSameSecret(signature.text.toLowerCase(), sign(messaging.masterKey(), parts(signature))))
    throw fault('The signature does not match.')
}

/** Sorts client ids for signing. An empty list still leaves an empty part between two colons. */
function sorted(clientIds: readonly string[]): readonly string[] {
  return clientIds.length === 0 ? [''] : [...clientIds].sort()
}

function millisecondsOf({ timestamp }: Signature): number {
  return timestamp < FIRST_MILLISECONDS ? timestamp * 1000 : timestamp
}

function sign(masterKey: string, parts: readonly (string | number)[]): string {
  return createHmac('sha1', masterKey).update(parts.join(':')).digest('hex')
}
