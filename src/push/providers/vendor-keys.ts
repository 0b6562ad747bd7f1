import type { Json, JsonObject } from '../../values/json.ts'
import type { Notification } from './provider.ts'

type Check = (value: Json) => boolean

/** Returns whether a member of the content is for the vendor, and not a custom key of the app. */
export type IsVendors = (name: string, value: Json) => boolean

export const text: Check = (value) => typeof value === 'string' && value !== ''
export const integer: Check = (value) => Number.isSafeInteger(value)
export const flag: Check = (value) => typeof value === 'boolean'
export const list: Check = (value) => Array.isArray(value)
export const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
export const like =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

/**
 * Returns a check for the member names of a vendor. Common names such as `badge` or `sound` have other meanings on other
 * platforms, and apps use custom keys, so a value in a form that the vendor would reject counts as a custom key.
 */
export function vendorNames(checks: Readonly<Record<string, Check>>): IsVendors {
  const known = new Map(Object.entries(checks))
  return (name, value) => known.get(name)?.(value) ?? false
}

/** Returns the members for the vendor, unchanged (protocol/push, Vendor channels). */
export function vendorKeys(content: JsonObject, isVendors: IsVendors): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([name, value]) => isVendors(name, value)))
}

/** Members that the notification itself uses. */
const SHOWN = new Set(['alert', 'title', 'silent', '_notificationChannel'])

/**
 * Returns the data that a tap on a notification passes to the app: its custom keys and the push channel (protocol/push, Vendor
 * channels).
 */
export function customKeys({ content, channel }: Notification, isVendors: IsVendors): JsonObject {
  const own = Object.entries(content).filter(([name, value]) => !SHOWN.has(name) && !isVendors(name, value))
  return { ...Object.fromEntries(own), ...(channel !== null && { _channel: channel }) }
}

/**
 * Returns the data of a silent push for the app: the content as on the built-in push channel (protocol/push, Content for
 * the built-in push channel).
 */
export function passThroughKeys({ content, channel, expiresAt }: Notification, isVendors: IsVendors): JsonObject {
  const own = Object.entries(content).filter(([name, value]) => !isVendors(name, value))
  return {
    ...Object.fromEntries(own),
    ...(channel !== null && { _channel: channel }),
    ...(expiresAt !== null && { _expiration_time: new Date(expiresAt).toISOString() }),
  }
}

export function isSilent({ content }: Notification): boolean {
  return content.silent === true
}

/** Returns the notification channel on the device (protocol/push, Content); undefined when none is set. */
export function deviceChannel({ content }: Notification): string | undefined {
  const name = content._notificationChannel
  return typeof name === 'string' && name !== '' ? name : undefined
}
