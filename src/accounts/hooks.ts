import type { Executor } from '../database/pool.ts'
import type { Origin } from '../objects/access/origin.ts'
import type { JsonObject } from '../values/json.ts'

/** How an address or number was found to be the user's. */
export type Verification = 'sms' | 'email'

/**
 * The cloud code of an app, as far as accounts ask it (protocol/cloud-code, User hooks). Class hooks are the object
 * store's.
 */
export interface AccountHooks {
  /** Whether `onLogin` is to be asked: where it is not, nothing need be prepared for it. */
  asksLogin(origin: Origin): boolean
  /**
   * Asks `onLogin` about somebody who has proved to be the user.
   * @param user with its session token
   * @throws ApiError 142 with status 401 when the hook refuses or cannot be asked, 141 when it takes too long
   */
  askLogin(user: JsonObject, origin: Origin): Promise<void>
  /** Whether `onAuthData` is to be asked. */
  asksAuthData(origin: Origin): boolean
  /**
   * Asks `onAuthData` what third-party data means.
   * @param authData all that the request says of platforms
   * @returns what takes its place
   * @throws ApiError 142 when the hook refuses or cannot be asked, 141 when it takes too long
   */
  askAuthData(authData: JsonObject, origin: Origin): Promise<JsonObject>
  /** Whether `onVerified` is to be told. */
  notifiesVerified(kind: Verification, origin: Origin): boolean
  /** Has `onVerified` told in the background, once the transaction is committed. */
  notifyVerified(kind: Verification, user: JsonObject, origin: Origin, transaction: Executor): Promise<void>
}
