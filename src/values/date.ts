const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/**
 * The canonical form of a date text, `YYYY-MM-DDTHH:MM:SS.MMMZ` in UTC, or null when it is no date of the
 * years 0000 to 9999. Canonical texts sort as the instants do, which comparisons in the database rely on.
 */
export function canonicalDate(text: string): string | null {
  const time = Date.parse(text)
  if (Number.isNaN(time)) return null
  const iso = new Date(time).toISOString()
  return ISO.test(iso) ? iso : null
}

/** Turns a timestamp as PostgreSQL prints it in UTC (`2026-11-20 21:27:00.5+00`) into its wire form. */
export function dateFromDatabase(text: string): string {
  const day = text.slice(0, 10)
  const time = text.slice(11, 19)
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, text.indexOf('+', 20)) : ''
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`
}
