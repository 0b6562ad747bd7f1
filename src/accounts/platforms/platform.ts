import type { JsonObject } from '../../values/json.ts'

/** The object of one platform in authData, as sent by the client: JSON members. */
export type PlatformData = JsonObject

/** A check of the data of a platform. */
export interface Platform {
  /**
   * Verifies the data with the platform.
   * @returns the data to store: as sent, or completed
   * @throws ApiError 251 or 252 when the platform rejects it, 250 when a member that the check needs is missing, 511
   *   when the platform gives no usable response
   */
  check(data: PlatformData): Promise<PlatformData>
}
