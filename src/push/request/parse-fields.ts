import { errors } from '../../errors.ts'
import { DATE_FORM, timeOfDate } from '../../values/date.ts'
import { isJsonObject, type Json, type JsonObject, member, shown, storable } from '../../values/json.ts'

/*
 * Reads single members of a request to push. What is wrong is answered with code 1, the name of the member and what
 * would be right (protocol/push, Errors of a request).
 */

/** A body has to stay below this, as JSON, in bytes (protocol/push, Limits). */
const SIZE_LIMIT = 4096

const ID = /^[A-Za-z0-9]{1,16}$/

/** The end of the year 9999: dates of the wire end there. */
const LAST_TIME = 253_402_300_799_999

/** The members of a body, with texts that can be stored. @throws ApiError 107 */
export function fieldsOf(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  return storable(body)
}

/** What is pushed. `_notificationChannel` beside it counts unless it has its own. @throws ApiError 107 */
export function dataIn(fields: JsonObject, channelField: string): JsonObject {
  const data = given(fields, 'data')
  if (!isJsonObject(data)) throw errors.malformedJson("'data' must be a JSON object, the content of the push.")
  const notificationChannel = textIn(fields, channelField)
  return notificationChannel === null ? data : { _notificationChannel: notificationChannel, ...data }
}

/** @throws ApiError 1 when it is too large as JSON */
export function checkSize(value: JsonObject, what: string): void {
  const size = Buffer.byteLength(JSON.stringify(value))
  if (size >= SIZE_LIMIT)
    throw errors.badArgument(`${what} must have less than ${SIZE_LIMIT} bytes as JSON; it has ${size}.`)
}

/** @returns null when it is absent */
export function textIn(fields: JsonObject, name: string): string | null {
  const value = given(fields, name)
  if (value === undefined) return null
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a text that is not empty', value)
  return value
}

/** `notification_id` and `req_id`. @returns null when it is absent */
export function idIn(fields: JsonObject, name: string): string | null {
  const value = given(fields, name)
  if (value === undefined) return null
  if (typeof value !== 'string' || !ID.test(value)) throw wrong(name, 'a text of 1 to 16 letters and digits', value)
  return value
}

/** @param usual where the request does not say it */
export function prodIn(fields: JsonObject, usual: 'dev' | 'prod'): 'dev' | 'prod' {
  const value = given(fields, 'prod') ?? usual
  if (value !== 'dev' && value !== 'prod') throw wrong('prod', "'dev' or 'prod'", value)
  return value
}

/** A time as ISO text or as a Date, in milliseconds since the epoch. @returns null when it is absent */
export function timeIn(fields: JsonObject, name: string): number | null {
  const value = given(fields, name)
  if (value === undefined) return null
  const text = isJsonObject(value) && value.__type === 'Date' ? value.iso : value
  const time = typeof text === 'string' ? timeOfDate(text) : null
  if (time === null) throw wrong(name, `a time of the form ${DATE_FORM}`, value)
  return time
}

/**
 * When the push ends to be of interest, by `expiration_time` or by `expiration_interval`.
 * @param sentAt when it is sent, in milliseconds since the epoch
 * @returns null when it does not end
 */
export function expiryIn(fields: JsonObject, sentAt: number): number | null {
  const time = timeIn(fields, 'expiration_time')
  const interval = given(fields, 'expiration_interval')
  if (time !== null && interval !== undefined)
    throw errors.badArgument("Of 'expiration_time' and 'expiration_interval' a push can have one.")
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

/** null counts as absent. */
export function given(fields: JsonObject, name: string): Json | undefined {
  return member(fields, name) ?? undefined
}

export function wrong(name: string, what: string, value: Json | undefined) {
  return errors.badArgument(`'${name}' must be ${what}, unlike ${shown(value)}.`)
}
