/** How long a vendor keeps messages for devices that are away. */
export interface LifetimeBounds {
  /** Seconds. */
  readonly least: number
  readonly most: number
}

/**
 * The time to live of a message that ends to be of interest at a time, within what the vendor allows.
 * @param expiresAt milliseconds since the epoch; null: the vendor's own default
 * @returns whole seconds, or null
 */
export function secondsToLive(expiresAt: number | null, { least, most }: LifetimeBounds, now: number): number | null {
  if (expiresAt === null) return null
  return Math.min(Math.max(Math.ceil((expiresAt - now) / 1000), least), most)
}
