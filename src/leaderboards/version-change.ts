/** How often a board begins anew. */
export const CHANGE_INTERVALS = ['week', 'day', 'month', 'never'] as const
export type ChangeInterval = (typeof CHANGE_INTERVALS)[number]

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Days begin at midnight of UTC+8, which is 16:00 UTC (protocol/social, Leaderboards). */
const OFFSET = 8 * HOUR

/**
 * When the version changes next: at the end of the day, of the week (Sunday) or of the month.
 * @returns later than `now`; null: never
 */
export function nextChange(interval: ChangeInterval, now: Date): Date | null {
  const local = new Date(now.getTime() + OFFSET)
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  switch (interval) {
    case 'day':
      return at(Date.UTC(year, month, day + 1))
    case 'week':
      // Monday is day 1; on a Monday it is seven days until the next.
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
