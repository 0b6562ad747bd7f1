const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
/** Canonical as it is, whatever the month: most dates of most data. */
const PLAIN = /^\d{4}-(0[1-9]|1[0-2])-([01]\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/**
 * The canonical form of a date text, `YYYY-MM-DDTHH:MM:SS.MMMZ` in UTC, or null when it is no date of the
 * years 0000 to 9999. Canonical texts sort as the instants do, which comparisons in the database rely on.
 */
export function canonicalDate(text: string): string | null {
  if (PLAIN.test(text) && !text.startsWith('00', 8)) return text
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

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * A wire date as a Last-Modified header with milliseconds (protocol/conventions, Responses), `Thu, 19 Sep 2019
 * 08:59:22.827 GMT`.
 */
export function lastModified(iso: string): string {
  const year = iso.slice(0, 4)
  const month = Number(iso.slice(5, 7)) - 1
  const day = iso.slice(8, 10)
  const weekday = DAYS[new Date(iso).getUTCDay()]
  return `${weekday}, ${day} ${MONTHS[month]} ${year} ${iso.slice(11, 23)} GMT`
}
