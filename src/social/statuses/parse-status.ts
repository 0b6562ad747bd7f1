import { errors } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject, shown } from '../../values/json.ts'
import { type Audience, parseAudience } from './audience.ts'
import { DEFAULT_INBOX } from './statuses.ts'

/** A parsed request to send a status. */
export interface StatusRequest {
  /** The fields of the status. */
  readonly data: JsonObject
  readonly audience: Audience
  readonly inboxType: string
}

const INBOX_TYPE = /^[^\p{Cc}\p{Cs}]{1,64}$/u

/**
 * Parses the body of `POST /1.1/statuses` (protocol/social, Statuses).
 * @throws ApiError 1, 102, 103, 107
 */
export function parseStatus(body: unknown): StatusRequest {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const data = body.data ?? {}
  if (!isJsonObject(data))
    throw errors.badArgument(`'data' must be an object, the fields of the status, not ${shown(data)}.`)
  const inboxType = parseInboxType(body.inboxType)
  // A status that was read from an inbox and is sent again contains the message id from there.
  const { messageId: _, source = body.source, ...fields } = data
  return {
    data: { ...fields, ...(source !== undefined && source !== null && { source }), inboxType },
    audience: parseAudience(body.query),
    inboxType,
  }
}

/** Parses an inbox type; `default` when omitted. @throws ApiError 1 */
export function parseInboxType(wire: Json | undefined): string {
  if (wire === undefined || wire === null || wire === '') return DEFAULT_INBOX
  if (typeof wire !== 'string' || !INBOX_TYPE.test(wire))
    throw errors.badArgument(
      `'inboxType' must be a string of 1 to 64 characters such as "default", not ${shown(wire)}.`,
    )
  return wire
}
