import { errors } from '../errors.ts'
import { canonicalDate } from '../values/date.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../values/json.ts'
import { isApple } from './device.ts'
import { isChannel } from './installation-rules.ts'
import type { DeviceType } from './parse-content.ts'
import { given, wrong } from './parse-fields.ts'

/** The condition of a push, an object or its JSON text; `{}` when there is none. @throws ApiError 102 or 107 */
export function whereIn(fields: JsonObject): JsonObject {
  const value = given(fields, 'where')
  if (value === undefined || value === '') return {}
  const where = typeof value === 'string' ? parseJson(value, "'where'") : value
  if (!isJsonObject(where)) throw errors.invalidQuery("'where' must be a JSON object, a condition on installations.")
  return where
}

/**
 * The push channels, a list or one text; empty when they are absent.
 * @throws ApiError 1, 112 for a name that no channel can have
 */
export function channelsIn(fields: JsonObject): string[] {
  const value = given(fields, 'channels')
  if (value === undefined) return []
  const channels = typeof value === 'string' ? [value] : value
  if (!Array.isArray(channels) || !channels.every((channel) => typeof channel === 'string'))
    throw wrong('channels', 'a list of texts, or a text', value)
  // Who has computed an empty list does not mean everybody.
  if (channels.length === 0) throw errors.badArgument("'channels' is empty; without it a push is for all devices.")
  if (!channels.every(isChannel)) throw errors.invalidChannel()
  return [...new Set(channels)]
}

/**
 * The condition with ISO texts as Dates where a field holds Dates: SDKs send them either way.
 * @param isDate whether a field of installations holds Dates
 */
export function withDates(where: JsonObject, isDate: (field: string) => boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => {
      if ((key === '$and' || key === '$or') && Array.isArray(value))
        return [key, value.map((part) => (isJsonObject(part) ? withDates(part, isDate) : part))]
      return [key, isDate(key) ? datesOf(value) : value]
    }),
  )
}

/** A value that a field of Dates is compared with, or operators with such values. */
function datesOf(value: Json): Json {
  if (typeof value === 'string') {
    const iso = canonicalDate(value)
    return iso === null ? value : { __type: 'Date', iso }
  }
  if (Array.isArray(value)) return value.map(datesOf)
  if (!isJsonObject(value) || Object.hasOwn(value, '__type')) return value
  return Object.fromEntries(Object.entries(value).map(([operator, operand]) => [operator, datesOf(operand)]))
}

/** What the condition says of the type of all devices. */
export function deviceTypeIn({ deviceType: condition }: JsonObject): DeviceType {
  const listed = isJsonObject(condition) ? condition.$in : [condition]
  if (!Array.isArray(listed) || listed.length === 0) return 'any'
  if (listed.every((type) => type === 'android')) return 'android'
  return listed.every(isApple) ? 'ios' : 'any'
}
