import type { JsonObject } from '../../values/json.ts'

/** What is pushed, as it is for all devices of one channel. */
export interface Notification {
  /**
   * The id of the push: 16 letters and digits. A device that is handed the same push twice, because the server died
   * before it had noted the first time, is to show it once: where the provider knows a key for that, this is its value.
   */
  readonly id: string
  /** `data` after the choice by platform, as `contentFor` makes it; `_notificationChannel` of the push included. */
  readonly content: JsonObject
  /** When it ends to be of interest, in milliseconds since the epoch; null when nothing was said. */
  readonly expiresAt: number | null
  /** Which environment of APNs; others do not care. */
  readonly prod: 'dev' | 'prod'
  /** The push channel that the devices were chosen by; null when by something else. */
  readonly channel: string | null
}

/** A device that gets a notification. */
export interface Target {
  /** APNs: `deviceToken`. Vendors: `registrationId`. */
  readonly token: string
  /** The number to show on the icon, where the content says `Increment`; iOS only. */
  readonly badge: number | null
  /** Bundle id and team of the app on the device, where the installation says so; iOS only. */
  readonly topic: string | null
  readonly teamId: string | null
}

/** What became of a notification for one device. Reasons are short, for the developer, and hold no token and no key. */
export type Outcome =
  | { readonly kind: 'accepted' }
  /** The token is of no use any more: the installation is retired. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** It will not be taken, however often it is tried. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The provider is overloaded or away. `after`: milliseconds that it asks for, if it does. */
  | { readonly kind: 'later'; readonly reason: string; readonly after: number | null }

export const ACCEPTED: Outcome = { kind: 'accepted' }

/** The way to one provider with one set of credentials. */
export interface Provider {
  /**
   * Hands a notification over for up to 1000 devices, in as few requests as the provider allows, several at once.
   * Failures of the network are `later`; it does not try again by itself, but for credentials that have run out.
   * Never throws for what a provider says or does.
   * @returns for each target what became of it, in their order
   */
  send(notification: Notification, targets: readonly Target[], signal: AbortSignal): Promise<readonly Outcome[]>
  /**
   * How many devices are handed over together. What is under way when the server dies is handed over again, so these are
   * not more than one request brings, and few where each device has its own.
   */
  readonly chunkSize: number
  /** A push to more devices than this is not sent to any; unlimited unless told. */
  readonly maxDevices?: number
  /** Closes its connections. */
  close(): void
}
