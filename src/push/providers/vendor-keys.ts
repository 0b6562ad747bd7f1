import type { Json, JsonObject } from '../../values/json.ts'
import type { Notification } from './provider.ts'

type Check = (value: Json) => boolean

/** Whether a member of the content is one that the vendor knows, and not one of the app. */
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
 * Names that a vendor knows. Common names such as `badge` or `sound` have other meanings for other platforms, and apps
 * have custom keys: a value of a form that the vendor would not take counts as the app's own.
 */
export function vendorNames(checks: Readonly<Record<string, Check>>): IsVendors {
  const known = new Map(Object.entries(checks))
  return (name, value) => known.get(name)?.(value) ?? false
}

/** Members for the vendor, unchanged (protocol/push, Vendor channels). */
export function vendorKeys(content: JsonObject, isVendors: IsVendors): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([name, value]) => isVendors(name, value)))
}

/** Members that the notification itself shows or follows. */
const SHOWN = new Set(['alert', 'title', 'silent', '_notificationChannel'])

/**
 * What the app gets when a notification is clicked: its own members, and the push channel (protocol/push, Vendor
 * channels).
 */
export function customKeys({ content, channel }: Notification, isVendors: IsVendors): JsonObject {
  const own = Object.entries(content).filter(([name, value]) => !SHOWN.has(name) && !isVendors(name, value))
  return { ...Object.fromEntries(own), ...(channel !== null && { _channel: channel }) }
}

/**
 * What the app gets when nothing is shown: the content as over the own channel (protocol/push, Content for Android's
 * own channel).
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

/** The notification channel on the device (protocol/push, Content); undefined when none was chosen. */
export function deviceChannel({ content }: Notification): string | undefined {
  const name = content._notificationChannel
  return typeof name === 'string' && name !== '' ? name : undefined
}
