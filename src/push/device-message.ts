import type { Notification } from './providers/provider.ts'

/** A push as the devices on the own channel get it. */
export interface DeviceMessage {
  /** The same for all devices; a device that is told twice knows it by this. */
  readonly id: string
  /** JSON text. */
  readonly text: string
}

/** How long a message without an expiry is kept for a device that is not there, in milliseconds. */
const MAX_WAIT = 7 * 24 * 60 * 60_000

/** When a notification ends to be of interest to devices on the own channel. */
export function expiryOf({ expiresAt }: Notification, now: number): Date {
  return new Date(expiresAt ?? now + MAX_WAIT)
}

/** The content with what the server adds to it (protocol/push, Content for Android's own channel). */
export function deviceMessage({ id, channel, content }: Notification, expiry: Date): DeviceMessage {
  const added = { ...(channel !== null && { _channel: channel }), _expiration_time: expiry.toISOString() }
  // Devices that were chosen by different push channels are told different things.
  return { id: channel === null ? id : `${id} ${channel}`, text: JSON.stringify({ ...content, ...added }) }
}
