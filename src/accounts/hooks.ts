import type { Executor } from '../database/pool.ts'
import type { Origin } from '../objects/access/origin.ts'
import type { JsonObject } from '../values/json.ts'

/** How the user proved that an address or number is its own. */
export type Verification = 'sms' | 'email'

/** The cloud code hooks that accounts call (protocol/cloud-code, User hooks). The object store calls the class hooks. */
export interface AccountHooks {
  /** Whether `onLogin` is called. If not, the caller need not prepare its input. */
  hasLoginHook(origin: Origin): boolean
  /**
   * Calls `onLogin` for a user whose credentials have been verified.
   * @param user with its session token
   * @throws ApiError 142 with status 401 when the hook refuses or cannot be called, 141 when it times out
   */
  callLoginHook(user: JsonObject, origin: Origin): Promise<void>
  /** Whether `onAuthData` is called. */
  hasAuthDataHook(origin: Origin): boolean
  /**
   * Calls `onAuthData` with the third-party data of a request.
   * @param authData the data of all platforms in the request
   * @returns the data that replaces it
   * @throws ApiError 142 when the hook refuses or cannot be called, 141 when it times out
   */
  callAuthDataHook(authData: JsonObject, origin: Origin): Promise<JsonObject>
  /** Whether `onVerified` is called. */
  notifiesVerified(kind: Verification, origin: Origin): boolean
  /** Calls `onVerified` in the background after the transaction has committed. */
  notifyVerified(kind: Verification, user: JsonObject, origin: Origin, transaction: Executor): Promise<void>
}
