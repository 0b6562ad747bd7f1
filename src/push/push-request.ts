import type { JsonObject } from '../values/json.ts'

/** A checked request for a push (protocol/push, Request). Times are milliseconds since the epoch. */
export interface PushRequest {
  readonly data: JsonObject
  readonly target: PushTarget
  /** null: immediately */
  readonly pushAt: number | null
  readonly expiresAt: number | null
  /** Id of the statistics; null: a new one. */
  readonly notificationId: string | null
  /** Only one of several requests with the same id is sent; null: no deduplication. */
  readonly reqId: string | null
  /** Environment of APNs. */
  readonly prod: 'dev' | 'prod'
  /** Bundle id and team for iOS devices; they override the installation's. */
  readonly topic: string | null
  readonly teamId: string | null
  /** Devices per second, at least 1000; null: unlimited. */
  readonly flowControl: number | null
}

/** The devices of a push. */
export type PushTarget =
  /** Installations that meet a condition and have one of the channels, if any are listed. */
  | { readonly kind: 'where'; readonly where: JsonObject; readonly channels: readonly string[] }
  /** Devices by the tokens of their providers (protocol/push, Request by device ids). */
  | {
      readonly kind: 'devices'
      readonly deviceType: 'ios' | 'android'
      readonly vendor: string | null
      readonly profile: string | null
      readonly tokens: readonly string[]
    }
  /** Installations by object id, without those on the built-in push channel: devices of offline members of a conversation. */
  | { readonly kind: 'absent'; readonly ids: readonly string[] }

export type DevicesTarget = Extract<PushTarget, { readonly kind: 'devices' }>

/** The origin of a push, as shown in its record. */
export type Service = 'push' | 'rtm'
