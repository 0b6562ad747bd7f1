import { errors } from '../../errors.ts'
import { DATE_FORM, timeOfDate } from '../../values/date.ts'
import { isJsonObject, type Json, type JsonObject, member, shown, storable } from '../../values/json.ts'

/*
 * Parses single members of a push request. Errors have code 1 and name the member and the expected value (protocol/push, Errors
 * of a request).
 */

/** A body must be smaller than this, in bytes of JSON (protocol/push, Limits). */
const SIZE_LIMIT = 4096

const ID = /^[A-Za-z0-9]{1,16}$/

/** The end of the year 9999, the last date in the protocol. */
const LAST_TIME = 253_402_300_799_999

/** Returns the members of a body, with storable texts. @throws ApiError 107 */
export function fieldsOf(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  return storable(body)
}

/** Parses the content of a push. `_notificationChannel` next to it is the default. @throws ApiError 107 */
export function dataIn(fields: JsonObject, channelField: string): JsonObject {
  const data = given(fields, 'data')
  if (!isJsonObject(data)) throw errors.malformedJson("'data' must be a JSON object, the content of the push.")
  const notificationChannel = textIn(fields, channelField)
  return notificationChannel === null ? data : { _notificationChannel: notificationChannel, ...data }
}

/** Checks the size of a value as JSON. @throws ApiError 1 */
export function checkSize(value: JsonObject, what: string): void {
  const size = Buffer.byteLength(JSON.stringify(value))
  if (size >= SIZE_LIMIT)
    throw errors.badArgument(`${what} must have fewer than ${SIZE_LIMIT} bytes as JSON, not ${size}.`)
}

/** Parses a non-empty text. @returns null when it is absent */
export function textIn(fields: JsonObject, name: string): string | null {
  const value = given(fields, name)
  if (value === undefined) return null
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a non-empty string', value)
  return value
}

/** Parses `notification_id` or `req_id`. @returns null when it is absent */
export function idIn(fields: JsonObject, name: string): string | null {
  const value = given(fields, name)
  if (value === undefined) return null
  if (typeof value !== 'string' || !ID.test(value)) throw wrong(name, 'a string of 1 to 16 letters and digits', value)
  return value
}

/** Parses the environment. @param usual the default */
export function prodIn(fields: JsonObject, usual: 'dev' | 'prod'): 'dev' | 'prod' {
  const value = given(fields, 'prod') ?? usual
  if (value !== 'dev' && value !== 'prod') throw wrong('prod', "'dev' or 'prod'", value)
  return value
}

/** Parses an ISO date or a Date into milliseconds since the epoch. @returns null when it is absent */
export function timeIn(fields: JsonObject, name: string): number | null {
  const value = given(fields, name)
  if (value === undefined) return null
  const text = isJsonObject(value) && value.__type === 'Date' ? value.iso : value
  const time = typeof text === 'string' ? timeOfDate(text) : null
  if (time === null) throw wrong(name, `a time of the form ${DATE_FORM}`, value)
  return time
}

/**
 * Parses the expiry from `expiration_time` or `expiration_interval`, in milliseconds since the epoch.
 * @param sentAt time of sending in milliseconds since the epoch
 * @returns null without an expiry
 */
export function expiryIn(fields: JsonObject, sentAt: number): number | null {
  const time = timeIn(fields, 'expiration_time')
  const interval = given(fields, 'expiration_interval')
  if (time !== null && interval !== undefined)
    throw errors.badArgument("Set either 'expiration_time' or 'expiration_interval', not both.")
  if (interval !== undefined) return endOf(interval, sentAt)
  if (time !== null && time <= sentAt)
    throw wrong('expiration_time', 'later than the time at which the push is sent', new Date(time).toISOString())
  return time
}

function endOf(interval: Json, sentAt: number): number {
  if (typeof interval !== 'number' || !(interval > 0) || sentAt + interval * 1000 > LAST_TIME)
    throw wrong('expiration_interval', 'a number of seconds above 0 that ends before the year 10000', interval)
  return sentAt + Math.ceil(interval * 1000)
}

/** Returns a member; undefined when it is absent or null. */
export function given(fields: JsonObject, name: string): Json | undefined {
  return member(fields, name) ?? undefined
}

export function wrong(name: string, what: string, value: Json | undefined) {
  return errors.badArgument(`'${name}' must be ${what}, not ${shown(value)}.`)
}
