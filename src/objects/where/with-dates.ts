import { canonicalDate } from '../../values/date.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'

/**
 * Converts ISO texts to Dates where a field holds Dates, in a condition or the body of a write: SDKs send both forms.
 * @param isDate returns whether a field of the class holds Dates
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

/** Converts a value compared with a Date field, or operators with such values. */
function datesOf(value: Json): Json {
  if (typeof value === 'string') {
    const iso = canonicalDate(value)
    return iso === null ? value : { __type: 'Date', iso }
  }
  if (Array.isArray(value)) return value.map(datesOf)
  if (!isJsonObject(value) || Object.hasOwn(value, '__type')) return value
  return Object.fromEntries(Object.entries(value).map(([operator, operand]) => [operator, datesOf(operand)]))
}
