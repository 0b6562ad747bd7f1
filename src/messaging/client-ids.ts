import { errors } from '../errors.ts'
import { isStorableText, shown } from '../values/json.ts'

/** protocol/realtime, Limits */
const MAX_LENGTH = 64

/**
 * Returns whether a value is a client id. Apps choose ids; only their length is limited (protocol/realtime, session/open as
 * sent).
 */
export function isClientId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_LENGTH && isStorableText(id)
}

/** Returns the client ids of a list without duplicates. @throws ApiError 1 */
export function checkClientIds(ids: readonly string[]): string[] {
  for (const id of ids) {
    if (!isClientId(id))
      throw errors.badArgument(`A client id must have 1 to ${MAX_LENGTH} characters, not ${shown(id)}.`)
  }
  return [...new Set(ids)]
}
