import type { JsonObject } from '../../values/json.ts'

/** A notification, the same for all devices of one channel. */
export interface Notification {
  /**
   * The id of the push: 16 letters and digits. A device can receive the same push twice, when the server crashed before it
   * recorded the first delivery. The id is passed as the provider's key for duplicates, if it has one.
   */
  readonly id: string
  /** The content for the platform, as returned by `contentFor`; includes `_notificationChannel` of the push. */
  readonly content: JsonObject
  /** Expiry in milliseconds since the epoch; null: none specified. */
  readonly expiresAt: number | null
  /** Environment of APNs; ignored by the other providers. */
  readonly prod: 'dev' | 'prod'
  /** The push channel that selected the devices; null: another criterion. */
  readonly channel: string | null
}

/** A device that receives a notification. */
export interface Target {
  /** APNs: `deviceToken`. Vendors: `registrationId`. */
  readonly token: string
  /** Badge number if the content has `Increment`; iOS only. */
  readonly badge: number | null
  /** Bundle id and team of the app according to the installation; iOS only. */
  readonly topic: string | null
  readonly teamId: string | null
}

/** The outcome of a notification for one device. Reasons are short texts for developers without tokens or keys. */
export type Outcome =
  | { readonly kind: 'accepted' }
  /** The token has become invalid: the installation is retired. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** A permanent rejection, for which a retry does not help. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The provider is overloaded or unreachable. `after`: milliseconds that it requests to wait, if any. */
  | { readonly kind: 'later'; readonly reason: string; readonly after: number | null }

export const ACCEPTED: Outcome = { kind: 'accepted' }

/** A provider opened with one set of credentials. */
export interface Provider {
  /**
   * Sends a notification to up to 1000 devices, in as few requests as the provider allows, several of them concurrently. Network
   * errors result in `later`; only expired credentials are retried here. Never throws because of the provider.
   * @returns the outcome of each target, in order
   */
  send(notification: Notification, targets: readonly Target[], signal: AbortSignal): Promise<readonly Outcome[]>
  /**
   * Devices per call. Those in progress when the server crashes are sent again, so this is at most one request's worth, and small
   * when each device needs a separate request.
   */
  readonly chunkSize: number
  /** A push to more devices than this is not sent at all; omitted: unlimited. */
  readonly maxDevices?: number
  /** Closes the connections. */
  close(): void
}
