import { deviceMessage, expiryOf } from '../device-message.ts'
import type { NoteLogin } from '../installations/device-logins.ts'
import type { BuiltInChannel } from '../push.ts'
import type { OnlineDevices } from './online-devices.ts'
import type { PendingMessages } from './pending-messages.ts'

/** Dependencies of device connections. */
export interface Devices {
  readonly online: OnlineDevices
  readonly messages: PendingMessages
  readonly noteLogin: NoteLogin
}

/**
 * Returns the built-in push channel: it stores messages in the database and delivers them to connected devices; see `BuiltInChannel`.
 */
export function builtInChannel({ online, messages }: Pick<Devices, 'online' | 'messages'>): BuiltInChannel {
  return {
    async send(notification, installationIds) {
      const expiry = expiryOf(notification, Date.now())
      const message = deviceMessage(notification, expiry)
      // A device that logs in meanwhile is added before it reads the stored messages, so it misses nothing.
      const to = await messages.store(message, notification.id, expiry, installationIds)
      if (to.length > 0) online.deliver(message, to)
    },
  }
}
