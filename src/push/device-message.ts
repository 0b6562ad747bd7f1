import type { Notification } from './providers/provider.ts'

/** A push as devices on the built-in push channel receive it. */
export interface DeviceMessage {
  /** The same for all devices. A device uses it to detect duplicates. */
  readonly id: string
  /** JSON text. */
  readonly text: string
}

/** Milliseconds for which a message without an expiry is kept for an offline device. */
const MAX_WAIT = 7 * 24 * 60 * 60_000

/** Returns when a notification on the built-in push channel expires. */
export function expiryOf({ expiresAt }: Notification, now: number): Date {
  return new Date(expiresAt ?? now + MAX_WAIT)
}

/** Returns the content with the members that the server adds (protocol/push, Content for the built-in push channel). */
export function deviceMessage({ id, channel, content }: Notification, expiry: Date): DeviceMessage {
  const added = { ...(channel !== null && { _channel: channel }), _expiration_time: expiry.toISOString() }
  // Devices selected by different push channels receive different content, so the id contains the channel.
  return { id: channel === null ? id : `${id} ${channel}`, text: JSON.stringify({ ...content, ...added }) }
}
