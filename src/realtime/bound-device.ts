import type { Session } from './session.ts'

const FAILURE = 'binding client to device failed'

/**
 * Binds the client to its device in the background: messages that it misses are pushed there (protocol/push, Life of an
 * installation).
 */
export function bindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) messaging.pendingWork.add(messaging.devices.bind(clientId, deviceId), FAILURE)
}

/** Unbinds the device of a client that has logged out. */
export function unbindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) messaging.pendingWork.add(messaging.devices.unbind(clientId, deviceId), FAILURE)
}
