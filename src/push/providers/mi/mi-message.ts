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

/** Xiaomi keeps messages for ten days at most. */
const LIFETIME = { least: 1, most: 10 * 24 * 60 * 60 }
/** A title is shorter than 50 characters, a text shorter than 128. */
const LIMITS = { title: 49, body: 127 }
/** By default a notification sounds, vibrates and lights. */
const DEFAULT_ALL = '-1'

const NAMES = vendorNames({ notify_type: integer, notify_id: integer })
const isMi: IsVendors = (name, value) =>
  NAMES(name, value) || (name.startsWith('extra.') && ['string', 'number', 'boolean'].includes(typeof value))

/**
 * The form fields of a message of Mi Push without its targets: a notification or, when it is silent, a message for the
 * app (protocol/push, Vendor channels). Devices drop what has a job key that they have seen. A notification replaces
 * the one before it that has the same number, so each push has one of its own.
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

/** 0 to 2³¹ - 1 */
function numberOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) >>> 1
}
