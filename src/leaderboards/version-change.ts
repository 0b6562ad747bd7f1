/** Intervals at which a board starts a new version. */
export const CHANGE_INTERVALS = ['week', 'day', 'month', 'never'] as const
export type ChangeInterval = (typeof CHANGE_INTERVALS)[number]

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Days begin at midnight in UTC+8, which is 16:00 UTC (protocol/social, Leaderboards). */
const OFFSET = 8 * HOUR

/**
 * Returns the time of the next version change: the end of the day, of the week (Sunday) or of the month.
 * @returns a time after `now`; null: never
 */
export function nextChange(interval: ChangeInterval, now: Date): Date | null {
  const local = new Date(now.getTime() + OFFSET)
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  switch (interval) {
    case 'day':
      return at(Date.UTC(year, month, day + 1))
    case 'week':
      // Monday is day 1. On a Monday the next one is seven days later.
      return at(Date.UTC(year, month, day) + ((8 - local.getUTCDay()) % 7 || 7) * DAY)
    case 'month':
      return at(Date.UTC(year, month + 1, 1))
    case 'never':
      return null
  }
}

function at(localTime: number): Date {
  return new Date(localTime - OFFSET)
}
