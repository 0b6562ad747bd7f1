/** Calendar date, optionally with time, seconds, fraction and zone (protocol/storage, Date texts). */
const DATE_TEXT =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/
const CANONICAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
/** Already canonical and valid in every month, as most dates are. */
const PLAIN = /^\d{4}-(0[1-9]|1[0-2])-([01]\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** The canonical form, for error texts. */
export const DATE_FORM = "'YYYY-MM-DDTHH:MM:SS.MMMZ'"

/**
 * Converts a date text (protocol/storage, Date texts) to the canonical form `YYYY-MM-DDTHH:MM:SS.MMMZ` in UTC. All date texts
 * from outside are parsed here, because `Date.parse` also accepts texts that are not dates, moves impossible days into the next
 * month, and depends on the time zone of the machine. Canonical texts sort like their instants; comparisons in the database rely
 * on it.
 * @returns null for any other text, and for an instant outside the years 0000–9999 in UTC
 */
export function canonicalDate(text: string): string | null {
  if (PLAIN.test(text) && !text.startsWith('00', 8)) return text
  const parts = DATE_TEXT.exec(text)
  if (!parts) return null
  const [, day, hour = '00', minute = '00', second = '00', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] =
    parts
  const clock = `${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const time = Date.parse(clock)
  // `Date.parse` moves 30 February to 2 March.
  if (Number.isNaN(time) || new Date(time).toISOString() !== clock) return null
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000
  const iso = new Date(sign === '-' ? time + offset : time - offset).toISOString()
  return CANONICAL.test(iso) ? iso : null
}

/**
 * Parses a date text into milliseconds since the epoch.
 * @returns null for any other text, as `canonicalDate`
 */
export function timeOfDate(text: string): number | null {
  const iso = canonicalDate(text)
  return iso === null ? null : Date.parse(iso)
}

/** Returns whether a canonical date can be a timestamp of the database, which has no year 0. */
export function isDatabaseTime(iso: string): boolean {
  return !iso.startsWith('0000-')
}

/** Converts a timestamp as PostgreSQL prints it in UTC (`2026-11-20 21:27:00.5+00`) to its wire form. */
export function dateFromDatabase(text: string): string {
  const day = text.slice(0, 10)
  const time = text.slice(11, 19)
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, text.indexOf('+', 20)) : ''
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Formats a wire date as a Last-Modified header with milliseconds (protocol/conventions, Responses), `Thu, 19 Sep 2019
 * 08:59:22.827 GMT`.
 */
export function lastModified(iso: string): string {
  const year = iso.slice(0, 4)
  const month = Number(iso.slice(5, 7)) - 1
  const day = iso.slice(8, 10)
  const weekday = DAYS[new Date(iso).getUTCDay()]
  return `${weekday}, ${day} ${MONTHS[month]} ${year} ${iso.slice(11, 23)} GMT`
}
