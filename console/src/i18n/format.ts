import { useTranslation } from 'react-i18next'
import { shownText } from '../parts/shown-text.ts'

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const SPANS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats values; stored data can be of any type, so invalid numbers and times are shown as text. */
export interface Format {
  readonly locale: string
  number(value: unknown): string
  /** @param share 0 to 1 */
  percent(share: unknown): string
  bytes(count: unknown): string
  /** @param milliseconds duration */
  duration(milliseconds: unknown): string
  /**
   * Formats date and time in the browser's time zone.
   * @param time ISO or milliseconds since 1970
   */
  time(time: unknown): string
  /** "3 minutes ago" */
  ago(time: unknown, now?: number): string
}

/** Returns formatters of numbers and times in the current language. */
export function useFormat(): Format {
  const { i18n } = useTranslation()
  return formatIn(i18n.language === 'zh' ? 'zh-CN' : 'en')
}

const formats = new Map<string, Format>()

/** @param locale BCP 47 */
export function formatIn(locale: string): Format {
  const known = formats.get(locale)
  if (known) return known
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const spans = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const unit = (value: number, name: string, digits: number) =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      // The short form of English bytes has no plural: "275 byte".
      unitDisplay: name === 'byte' ? 'long' : 'short',
      maximumFractionDigits: digits,
    }).format(value)
  const format: Format = {
    locale,
    number: (value) => (typeof value === 'number' ? numbers.format(value) : shownText(value)),
    percent: (share) => (typeof share === 'number' ? percents.format(share) : shownText(share)),
    bytes(count) {
      if (typeof count !== 'number' || !Number.isFinite(count)) return shownText(count)
      const power = count < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(count) / 10))
      return unit(count / 1024 ** power, BYTE_UNITS[power]!, power === 0 ? 0 : 1)
    },
    duration(milliseconds) {
      if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds)) return shownText(milliseconds)
      if (milliseconds < 1000) return unit(milliseconds, 'millisecond', milliseconds < 10 ? 1 : 0)
      if (milliseconds < 60_000) return unit(milliseconds / 1000, 'second', 1)
      return milliseconds < 3_600_000
        ? unit(milliseconds / 60_000, 'minute', 1)
        : unit(milliseconds / 3_600_000, 'hour', 1)
    },
    time(time) {
      const date = dateOf(time)
      return date ? times.format(date) : shownText(time)
    },
    ago(time, now = Date.now()) {
      const date = dateOf(time)
      if (!date) return shownText(time)
      const seconds = (date.getTime() - now) / 1000
      const [name, length] = SPANS.find(([, span]) => Math.abs(seconds) >= span) ?? SPANS.at(-1)!
      return spans.format(Math.round(seconds / length), name)
    },
  }
  formats.set(locale, format)
  return format
}

function dateOf(time: unknown): Date | null {
  if (typeof time !== 'string' && typeof time !== 'number') return null
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date
}
