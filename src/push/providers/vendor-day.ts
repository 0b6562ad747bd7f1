const DAY = 24 * 60 * 60 * 1000
/** Vendors count days in China Standard Time, which has no daylight saving time. */
const CHINA = 8 * 60 * 60 * 1000

/** Returns the milliseconds until the daily quotas of the vendors reset. */
export function untilNextDay(now: number): number {
  return DAY - ((now + CHINA) % DAY)
}
