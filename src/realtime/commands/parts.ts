import { errors } from '../../errors.ts'
import type { ListOutcome } from '../../messaging/members/membership.ts'
import type { Signature } from '../../messaging/sessions/signatures.ts'
import type { ErrorCommand, JsonObjectMessage } from '../../realtime-protocol/schema.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../values/json.ts'
import { errorOf } from '../refusals.ts'
import type { Session } from '../session.ts'

/* Parts that several commands share: JSON, signatures, and outcomes per client. */

/** The client's role is too low (protocol/realtime, Error codes). */
const UNAUTHORIZED = 4320

/**
 * Returns the JSON object in a part of a command; `{}` for none.
 * @param name the name of the part, for error texts
 * @throws ApiError 107
 */
export function objectIn(part: JsonObjectMessage | undefined, name: string): JsonObject {
  if (part === undefined || part.data === '') return {}
  const value = parseJson(part.data, `'${name}'`)
  if (!isJsonObject(value)) throw errors.malformedJson(`'${name}' must be an object.`)
  return value
}

export function jsonPart(value: Json): JsonObjectMessage {
  return { data: JSON.stringify(value) }
}

/** Returns the signature in a command: `t`, `n` and `s`; null for none. */
export function signatureIn({
  t,
  n,
  s,
}: {
  readonly t?: number | undefined
  readonly n?: string | undefined
  readonly s?: string | undefined
}): Signature | null {
  return s === undefined ? null : { timestamp: t ?? 0, nonce: n ?? '', text: s }
}

/**
 * Returns the clients for which a command succeeded and failed (protocol/realtime, Adding and removing members).
 * @throws MessagingError 4320 when the client lacks the permission for all of them; the first failure, for sessions that do not
 *   support partial success (protocol/realtime, configBitmap)
 */
export function outcomeParts(
  session: Session,
  { allowed, failed }: ListOutcome,
): { allowedPids: string[]; failedPids: ErrorCommand[] } {
  const mayNothing = allowed.length === 0 && failed.every(({ error }) => error.code === UNAUTHORIZED)
  if (failed[0] && (mayNothing || !session.takesPartialSuccess)) throw failed[0].error
  return {
    allowedPids: [...allowed],
    failedPids: failed.map(({ error, clientIds }) => errorOf(error, clientIds)),
  }
}
