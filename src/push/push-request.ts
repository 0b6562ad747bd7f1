import type { JsonObject } from '../values/json.ts'

/** A push as it was asked for, checked (protocol/push, Request). Times in milliseconds since the epoch. */
export interface PushRequest {
  readonly data: JsonObject
  readonly target: PushTarget
  /** null: at once */
  readonly pushAt: number | null
  readonly expiresAt: number | null
  /** Under which statistics are kept; null for one of its own. */
  readonly notificationId: string | null
  /** Of requests with the same id only one is sent; null: nothing else has it. */
  readonly reqId: string | null
  /** Which environment of APNs. */
  readonly prod: 'dev' | 'prod'
  /** Bundle id and team for iOS devices, over what their installations say. */
  readonly topic: string | null
  readonly teamId: string | null
  /** Devices a second, at least 1000; null: as fast as it goes. */
  readonly flowControl: number | null
}

/** Which devices a push is for. */
export type PushTarget =
  /** Installations that meet a condition, and that have one of the channels if there are any. */
  | { readonly kind: 'where'; readonly where: JsonObject; readonly channels: readonly string[] }
  /** Devices by what their providers know them by (protocol/push, Request by device ids). */
  | {
      readonly kind: 'devices'
      readonly deviceType: 'ios' | 'android'
      readonly vendor: string | null
      readonly profile: string | null
      readonly tokens: readonly string[]
    }
  /** Installations by their object ids, without those of the own channel: members of a conversation who are not there. */
  | { readonly kind: 'absent'; readonly ids: readonly string[] }

export type DevicesTarget = Extract<PushTarget, { readonly kind: 'devices' }>

/** Where a push comes from, as its record says. */
export type Service = 'push' | 'rtm'
