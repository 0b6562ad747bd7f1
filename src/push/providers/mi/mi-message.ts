import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import {
  customKeys,
  deviceChannel,
  type IsVendors,
  integer,
  isSilent,
  passThroughKeys,
  vendorKeys,
  vendorNames,
} from '../vendor-keys.ts'
import { secondsToLive } from '../vendor-lifetime.ts'
import { type Failure, isFailure } from '../vendor-request.ts'
import { shownText } from '../vendor-text.ts'

/** Xiaomi stores messages for at most ten days. */
const LIFETIME = { min: 1, max: 10 * 24 * 60 * 60 }
/** Titles must be shorter than 50 characters, texts shorter than 128. */
const LIMITS = { title: 49, body: 127 }
/** Notifications use sound, vibration and light by default. */
const DEFAULT_ALL = '-1'

const NAMES = vendorNames({ notify_type: integer, notify_id: integer })
const isMi: IsVendors = (name, value) =>
  NAMES(name, value) || (name.startsWith('extra.') && ['string', 'number', 'boolean'].includes(typeof value))

/**
 * Converts a notification to the form fields of a Mi Push message without its targets: a notification, or a message for the app
 * when it is silent (protocol/push, Vendor channels). Devices drop messages with a known job key. A notification replaces an
 * earlier one with the same `notify_id`, so each push has its own.
 */
export function miMessage(
  notification: Notification,
  packageName: string,
  now: number,
): Readonly<Record<string, string>> | Failure {
  const { content, id, expiresAt } = notification
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const channel = deviceChannel(notification)
  const fields = {
    restricted_package_name: packageName,
    ...(seconds !== null && { time_to_live: String(seconds * 1000) }),
    'extra.jobkey': id,
  }
  if (isSilent(notification)) {
    const payload = JSON.stringify(passThroughKeys(notification, isMi))
    return { ...fields, pass_through: '1', payload, ...texts(vendorKeys(content, isMi)) }
  }
  const shown = shownText(content, LIMITS)
  if (isFailure(shown)) return shown
  return {
    ...fields,
    pass_through: '0',
    title: shown.title,
    description: shown.body,
    payload: JSON.stringify(customKeys(notification, isMi)),
    notify_type: DEFAULT_ALL,
    notify_id: String(numberOf(id)),
    ...(channel !== undefined && { 'extra.channel_id': channel }),
    ...texts(vendorKeys(content, isMi)),
  }
}

function texts(members: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)] as const))
}

/** Returns a number of 0 to 2³¹ - 1. */
function numberOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) >>> 1
}
