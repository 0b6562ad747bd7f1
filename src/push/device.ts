import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { type Channel, VENDORS, type Vendor } from './providers/all.ts'

/** A device that receives a push, and how it is reached. */
export interface Device {
  /** Object id of the installation; the token when the push names tokens. */
  readonly id: string
  readonly channel: Channel
  /** Identifies the device on its channel: `deviceToken`, `registrationId`, or `installationId` for the built-in push channel. */
  readonly token: string
  /** Name of the credentials; null: the default ones. */
  readonly profile: string | null
  readonly topic: string | null
  readonly teamId: string | null
  /** Push channels that the device subscribes to. */
  readonly pushChannels: readonly string[]
}

const VENDOR_NAMES: ReadonlyMap<Json | undefined, Vendor> = new Map(VENDORS.map(({ vendor, name }) => [vendor, name]))

/** Returns the vendor of a device (protocol/push, Installation fields: case-sensitive); undefined when it is unknown. */
export function vendorOf(spelled: Json | undefined): Vendor | undefined {
  return VENDOR_NAMES.get(spelled)
}

const APPLE = new Set<Json | undefined>(['ios', 'macos', 'watchos', 'tvos'])

/** Returns whether devices of a type are reached over APNs. */
export function isApple(deviceType: Json | undefined): boolean {
  return APPLE.has(deviceType)
}

/**
 * Returns the device of an installation (protocol/push, Vendor channels, selection of the channel).
 * @param hasVendors whether the app has credentials of any vendor; without them all Android devices use the built-in push channel
 * @returns the reason as a string when the device cannot be reached
 */
export function deviceOf(id: string, data: JsonObject, hasVendors: boolean): Device | string {
  const text = (name: string) => (typeof data[name] === 'string' && data[name] !== '' ? data[name] : null)
  const pushChannels = Array.isArray(data.channels) ? data.channels.filter((item) => typeof item === 'string') : []
  const shared = {
    id,
    profile: text('deviceProfile'),
    topic: text('apnsTopic'),
    teamId: text('apnsTeamId'),
    pushChannels,
  }
  if (isApple(data.deviceType)) {
    const token = text('deviceToken')
    return token === null ? 'the installation has no deviceToken' : { ...shared, channel: 'apns', token }
  }
  const vendor = hasVendors ? vendorOf(data.vendor) : undefined
  const registration = text('registrationId')
  if (vendor && registration !== null) return { ...shared, channel: vendor, token: registration }
  const installation = text('installationId')
  return installation === null
    ? 'the installation has no installationId'
    : { ...shared, channel: 'own', token: installation }
}

/** Returns whether the content for iOS devices increments their badge counters (protocol/push, Content for iOS). */
export function countsBadges(content: JsonObject): boolean {
  const badge = isJsonObject(content.aps) ? content.aps.badge : content.badge
  return badge === 'Increment'
}
