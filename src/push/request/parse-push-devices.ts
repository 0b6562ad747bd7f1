import { errors } from '../../errors.ts'
import { isStorableText, type JsonObject } from '../../values/json.ts'
import type { Platform } from '../content.ts'
import { vendorOf } from '../device.ts'
import { VENDORS } from '../providers/all.ts'
import type { PushRequest } from '../push-request.ts'
import { checkContent } from './parse-content.ts'
import { checkSize, dataIn, expiryIn, fieldsOf, given, idIn, prodIn, textIn, wrong } from './parse-fields.ts'
import type { PushContext } from './parse-push.ts'

/** Maximum number of devices (protocol/push, Limits). */
const MAX_DEVICES = 500
/** The longest vendor tokens have about 200 characters. */
const MAX_TOKEN_LENGTH = 1000

const DEVICE_TYPES = ['android', 'ios'] as const

/** As a phrase, such as `HMS, honor or mi`. */
const VENDOR_NAMES = VENDORS.map(({ vendor }) => vendor)
  .join(', ')
  .replace(/, ([^,]+)$/, ' or $1')

/**
 * Parses the body of POST /1.1/push/devices (protocol/push, Request by device ids). The size limit applies to `data` alone,
 * because 500 ids exceed it.
 * @throws ApiError 1 or 107, naming the invalid member and the expected value
 */
export function parsePushDevices(body: unknown, { prod, now }: Omit<PushContext, 'isDate'>): PushRequest {
  const fields = fieldsOf(body)
  const data = dataIn(fields, 'channel')
  checkSize(data, "'data'")
  const type = given(fields, 'device_type')
  const deviceType = DEVICE_TYPES.find((name) => name === type)
  if (!deviceType) throw wrong('device_type', "'android' or 'ios'", type)
  const vendor = vendorIn(fields, deviceType)
  const platform: Platform = vendorOf(vendor ?? undefined) ?? 'android'
  checkContent(data, deviceType, [platform])
  return {
    data,
    target: { kind: 'devices', deviceType, vendor, profile: textIn(fields, 'device_profile'), tokens: idsIn(body) },
    pushAt: null,
    expiresAt: expiryIn(fields, now),
    notificationId: idIn(fields, 'notification_id'),
    reqId: idIn(fields, 'req_id'),
    prod: prodIn(fields, prod),
    topic: textIn(fields, 'topic'),
    teamId: textIn(fields, 'apns_team_id'),
    flowControl: null,
  }
}

function vendorIn(fields: JsonObject, deviceType: 'android' | 'ios'): string | null {
  const vendor = textIn(fields, 'vendor')
  if (vendor === null) return null
  if (deviceType === 'ios') throw errors.badArgument("'vendor' is only for Android devices. Omit it for iOS.")
  if (!vendorOf(vendor)) throw wrong('vendor', VENDOR_NAMES, vendor)
  return vendor
}

/** Parses the device ids, without duplicates. They are kept unchanged: characters in ids must not be replaced. */
function idsIn(body: unknown): string[] {
  const ids = given(body as JsonObject, 'device_ids')
  const isId = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= MAX_TOKEN_LENGTH
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_DEVICES || !ids.every(isId))
    throw errors.badArgument(`'device_ids' must be a list of 1 to ${MAX_DEVICES} non-empty strings.`)
  if (!ids.every(isStorableText))
    throw errors.malformedJson(
      "The text of 'device_ids' contains a NUL character or half of a surrogate pair, which no id has.",
    )
  return [...new Set(ids)]
}
