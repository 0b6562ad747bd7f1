import { errors } from '../../errors.ts'
import type { JsonObjectMessage } from '../../realtime-protocol/schema.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../values/json.ts'

/**
 * The JSON object in a part of a command; `{}` when there is none.
 * @param name of the part, for error texts
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
