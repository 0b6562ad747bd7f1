/** How many backups are kept. A backup that one of the rules keeps is kept. */
export interface BackupRetention {
  /** The newest ones. */
  readonly newest: number
  /** The newest of each of so many days, weeks or months that have one. Days begin at midnight in UTC, weeks on Monday. */
  readonly days: number
  readonly weeks: number
  readonly months: number
}

const UNITS: Readonly<Record<string, keyof BackupRetention>> = { '': 'newest', d: 'days', w: 'weeks', m: 'months' }

/**
 * Parses a list such as `3,7d,4w,12m`: the newest 3, and the newest of each of 7 days, 4 weeks and 12 months.
 * @returns null for any other text, and when nothing would be kept
 */
export function parseBackupRetention(text: string): BackupRetention | null {
  const kept = { newest: 0, days: 0, weeks: 0, months: 0 }
  for (const part of text.split(',')) {
    const [, digits, unit] = /^\s*(\d{1,4})([dwm]?)\s*$/.exec(part) ?? []
    if (digits === undefined) return null
    kept[UNITS[unit ?? '']!] = Number(digits)
  }
  return Object.values(kept).some((count) => count > 0) ? kept : null
}

/** Returns the backups that no rule keeps. The newest one is always kept. */
export function expiredBackups<Backup extends { readonly startedAt: Date }>(
  backups: readonly Backup[],
  { newest, days, weeks, months }: BackupRetention,
): Backup[] {
  const sorted = backups.toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
  const kept = new Set(sorted.slice(0, Math.max(1, newest)))
  const rules = [
    [days, dayOf],
    [weeks, weekOf],
    [months, monthOf],
  ] as const
  for (const [count, periodOf] of rules) {
    const periods = new Set<string>()
    for (const backup of sorted) {
      if (periods.size === count) break
      const period = periodOf(backup.startedAt)
      if (periods.has(period)) continue
      periods.add(period)
      kept.add(backup)
    }
  }
  return sorted.filter((backup) => !kept.has(backup))
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** Returns the Monday of the week. */
function weekOf(date: Date): string {
  const sinceMonday = (date.getUTCDay() + 6) % 7
  return dayOf(new Date(date.getTime() - sinceMonday * 86_400_000))
}

function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7)
}
