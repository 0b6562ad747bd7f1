import type { JsonObject } from '../values/json.ts'

/** A push notification for a stored message. */
export interface DevicePush {
  /** Like `data` of any push. */
  readonly data: JsonObject
  /** The APNs environment. */
  readonly prod: 'dev' | 'prod'
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Push notifications as messaging uses them. */
export interface DevicePushes {
  /** Pushes to the installations that these clients are bound to. */
  toClients(clientIds: readonly string[], push: DevicePush): Promise<void>
  toEveryone(push: DevicePush): Promise<void>
  /** Binds a client to the installation of a device, or releases it. Unknown devices are ignored. */
  bind(clientId: string, deviceId: string): Promise<void>
  unbind(clientId: string, deviceId: string): Promise<void>
}
