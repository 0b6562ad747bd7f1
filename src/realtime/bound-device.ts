import type { Session } from './session.ts'

/** From now on what the client misses is pushed to its device (spec/push-details, 2.3); nobody waits for that. */
export function bindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) watch(messaging.devices.bind(clientId, deviceId), messaging.log)
}

/** The client has logged out: its device is no longer its own. */
export function unbindDevice({ messaging, clientId, deviceId }: Session): void {
  if (deviceId !== null) watch(messaging.devices.unbind(clientId, deviceId), messaging.log)
}

function watch(change: Promise<void>, log: Session['messaging']['log']): void {
  change.catch((error: Error) => {
    log.warn(
      { component: 'realtime', error: error.message },
      'a client could not be bound to its device, or loosed from it',
    )
  })
}
