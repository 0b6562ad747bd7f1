import type { JsonObject } from '../values/json.ts'

/** A push to devices, of a message that is stored. */
export interface DevicePush {
  /** As `data` of any push. */
  readonly data: JsonObject
  /** Which environment of APNs. */
  readonly prod: 'dev' | 'prod'
  /** milliseconds since the epoch */
  readonly expiresAt: number
}

/** The way to devices that are not connected, as far as messaging needs it. */
export interface DevicePushes {
  /** Pushes to the installations that clients have bound themselves to. */
  toClients(clientIds: readonly string[], push: DevicePush): Promise<void>
  toEveryone(push: DevicePush): Promise<void>
  /** A client is at home on a device from now on, or no longer; nothing where the device is not known. */
  bind(clientId: string, deviceId: string): Promise<void>
  unbind(clientId: string, deviceId: string): Promise<void>
}
