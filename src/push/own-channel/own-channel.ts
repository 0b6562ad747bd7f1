import { deviceMessage, expiryOf } from '../device-message.ts'
import type { NoteLogin } from '../installations/device-logins.ts'
import type { OwnChannel } from '../push.ts'
import type { OnlineDevices } from './online-devices.ts'
import type { PendingMessages } from './pending-messages.ts'

/** What the connections of devices work with. */
export interface Devices {
  readonly online: OnlineDevices
  readonly messages: PendingMessages
  readonly noteLogin: NoteLogin
}

/** Keeps messages in the database, and tells devices that are connected; see `OwnChannel`. */
export function ownChannel({ online, messages }: Pick<Devices, 'online' | 'messages'>): OwnChannel {
  return {
    async send(notification, installationIds) {
      const expiry = expiryOf(notification, Date.now())
      const message = deviceMessage(notification, expiry)
      // A device that logs in meanwhile is online before it reads what is stored, so it misses nothing.
      const to = await messages.store(message, notification.id, expiry, installationIds)
      if (to.length > 0) online.deliver(message, to)
    },
  }
}
