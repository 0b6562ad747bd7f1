/** Minimum and maximum time that a vendor stores messages for offline devices. */
export interface LifetimeBounds {
  /** Seconds. */
  readonly min: number
  readonly max: number
}

/**
 * Returns the time to live of a message, within the vendor's bounds.
 * @param expiresAt milliseconds since the epoch; null: the vendor's default
 * @returns whole seconds, or null for the default
 */
export function secondsToLive(expiresAt: number | null, { min, max }: LifetimeBounds, now: number): number | null {
  if (expiresAt === null) return null
  return Math.min(Math.max(Math.ceil((expiresAt - now) / 1000), min), max)
}
