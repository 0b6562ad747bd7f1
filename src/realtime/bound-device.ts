import type { Session } from './session.ts'

const FAILURE = 'binding client to device failed'

/**
 * From now on what the client misses is pushed to its device (protocol/push, Life of an installation); nobody waits for
 * that.
 */
export function bindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) messaging.pendingWork.add(messaging.devices.bind(clientId, deviceId), FAILURE)
}

/** The client has logged out: its device is no longer its own. */
export function unbindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) messaging.pendingWork.add(messaging.devices.unbind(clientId, deviceId), FAILURE)
}
