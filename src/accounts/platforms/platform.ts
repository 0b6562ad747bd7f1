import type { JsonObject } from '../../values/json.ts'

/** The object of one platform inside authData, as the client sent it: JSON members. */
export type PlatformData = JsonObject

/** One way to find out whether the data of a platform are true. */
export interface Platform {
  /**
   * Checks the data with the platform.
   * @returns the data to store: as sent, or completed
   * @throws ApiError 251 or 252 when the platform says no, 250 when a member is missing that the check needs, 511 when
   * the platform gives no usable answer
   */
  check(data: PlatformData): Promise<PlatformData>
}
