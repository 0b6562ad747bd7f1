const DAY = 24 * 60 * 60 * 1000
/** The vendors count their days in China, which has one time zone and no summer time. */
const CHINA = 8 * 60 * 60 * 1000

/** Milliseconds until the quotas of the vendors begin anew. */
export function untilNextDay(now: number): number {
  return DAY - ((now + CHINA) % DAY)
}
