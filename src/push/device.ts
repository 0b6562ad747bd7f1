import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { type Channel, VENDORS, type Vendor } from './providers/all.ts'

/** A device that a push is for, and the way to it. */
export interface Device {
  /** The object id of the installation; the token, where a push names tokens. */
  readonly id: string
  readonly channel: Channel
  /** What the device is known by there: `deviceToken`, `registrationId`, or `installationId` for the own channel. */
  readonly token: string
  /** Which credentials it needs; null for the usual ones. */
  readonly profile: string | null
  readonly topic: string | null
  readonly teamId: string | null
  /** The push channels that it listens to. */
  readonly pushChannels: readonly string[]
}

const VENDOR_NAMES: ReadonlyMap<Json | undefined, Vendor> = new Map(VENDORS.map(({ vendor, name }) => [vendor, name]))

/** The vendor that a device names (protocol/push, Installation fields: compared as written); undefined when it is none. */
export function vendorOf(spelled: Json | undefined): Vendor | undefined {
  return VENDOR_NAMES.get(spelled)
}

const APPLE = new Set<Json | undefined>(['ios', 'macos', 'watchos', 'tvos'])

/** Whether devices of a type are reached over APNs. */
export function isApple(deviceType: Json | undefined): boolean {
  return APPLE.has(deviceType)
}

/**
 * The device of an installation (protocol/push, Vendor channels, selection of the channel).
 * @param hasVendors whether the app has credentials of any vendor; without, everything Android is on the own channel
 * @returns why it cannot be reached, as a text, when it cannot
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

/** Whether what goes to iOS devices asks for their own counters (protocol/push, Content for iOS). */
export function countsBadges(content: JsonObject): boolean {
  const badge = isJsonObject(content.aps) ? content.aps.badge : content.badge
  return badge === 'Increment'
}
