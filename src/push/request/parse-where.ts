import { errors } from '../../errors.ts'
import { parseSelect } from '../../objects/cql/parse-statement.ts'
import { emptyAsObject, isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { isApple } from '../device.ts'
import { isChannel } from '../installations/installation-rules.ts'
import { INSTALLATION } from '../push.ts'
import type { DeviceType } from './parse-content.ts'
import { given, wrong } from './parse-fields.ts'

/** Parses the condition of a push, an object or its JSON text; `{}` when it is absent. @throws ApiError 102 or 107 */
export function whereIn(fields: JsonObject): JsonObject {
  const value = given(fields, 'where')
  if (value === undefined || value === '') return {}
  const where = emptyAsObject(typeof value === 'string' ? parseJson(value, "'where'") : value)
  if (!isJsonObject(where)) throw errors.invalidQuery("'where' must be a JSON object, a condition on installations.")
  return where
}

/**
 * Parses the condition of a CQL `select` on installations; null when it is absent.
 * @throws ApiError 1 together with `where`, or with a limit, skip or count; 300
 */
export function cqlIn(fields: JsonObject): JsonObject | null {
  const cql = given(fields, 'cql')
  if (cql === undefined || cql === '') return null
  if (typeof cql !== 'string') throw wrong('cql', 'a string', cql)
  if (Object.keys(whereIn(fields)).length > 0) throw errors.badArgument("Set either 'cql' or 'where', not both.")
  const { className, where, limit, skip, count } = parseSelect(cql, [])
  if (className !== INSTALLATION)
    throw errors.badArgument(`'cql' must select from ${INSTALLATION}, not from ${className}.`)
  // If these were ignored, the push would go to all matching devices.
  if (limit !== null || skip !== 0 || count)
    throw errors.badArgument(
      "'cql' must not have a limit or a count: a push is sent to all devices that match its condition.",
    )
  return where
}

/**
 * Parses the push channels, a list or one text; empty when they are absent.
 * @throws ApiError 1; 112 for an invalid name
 */
export function channelsIn(fields: JsonObject): string[] {
  const value = given(fields, 'channels')
  if (value === undefined) return []
  const channels = typeof value === 'string' ? [value] : value
  if (!Array.isArray(channels) || !channels.every((channel) => typeof channel === 'string'))
    throw wrong('channels', 'an array of strings, or a string', value)
  // A computed list that happens to be empty must not mean all devices.
  if (channels.length === 0) throw errors.badArgument("'channels' must not be empty. Omit it to push to all devices.")
  if (!channels.every(isChannel)) throw errors.invalidChannel()
  return [...new Set(channels)]
}

/** Returns the device type that the condition requires of all devices. */
export function deviceTypeIn({ deviceType: condition }: JsonObject): DeviceType {
  const listed = isJsonObject(condition) ? (condition.$in ?? [condition.$eq]) : [condition]
  if (!Array.isArray(listed) || listed.length === 0) return 'any'
  if (listed.every((type) => type === 'android')) return 'android'
  return listed.every(isApple) ? 'ios' : 'any'
}

/** Returns the profile that the condition requires of all devices; null when there is none. */
export function profileIn({ deviceProfile: condition }: JsonObject): string | null {
  const profile = isJsonObject(condition) ? condition.$eq : condition
  return typeof profile === 'string' ? profile : null
}
