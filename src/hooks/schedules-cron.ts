import { Cron } from 'croner'

interface Field {
  readonly lowest: number
  readonly highest: number
  /** Names of values, beginning with that of the lowest. */
  readonly names?: readonly string[]
  /** Whether `?` is allowed, for "no value". */
  readonly mayBeOpen?: boolean
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** Second, minute, hour, day, month and weekday, where 1 is Sunday (protocol/cloud-code, Scheduled and queued functions). */
const FIELDS: readonly Field[] = [
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 23 },
  { lowest: 1, highest: 31, mayBeOpen: true },
  { lowest: 1, highest: 12, names: MONTHS },
  { lowest: 1, highest: 7, names: WEEKDAYS, mayBeOpen: true },
]

const PART = /^(?:\*|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:\/(\d{1,4}))?$/

/**
 * Returns the values of a field as a list; null for all values, undefined for invalid text. The library has a different syntax:
 * it does not support `5/15`, treats `?` as the current time, and 8 as Sunday.
 */
function valuesIn(text: string, field: Field): readonly number[] | null | undefined {
  if (text === '*' || (text === '?' && field.mayBeOpen)) return null
  const values = text.split(',').map((part) => rangeIn(part, field))
  return values.every((range) => range !== undefined) ? [...new Set(values.flat())] : undefined
}

/** Expands `*`, a value, or a range, each optionally with a step. A value with a step extends to the highest value. */
function rangeIn(part: string, field: Field): number[] | undefined {
  const match = PART.exec(part)
  if (!match) return undefined
  const [, first, last, step] = match
  const { lowest, highest } = field
  const from = first === undefined ? lowest : numberOf(first, field)
  const to = last === undefined ? (first === undefined || step !== undefined ? highest : from) : numberOf(last, field)
  const by = step === undefined ? 1 : Number(step)
  if (from === undefined || to === undefined || by === 0) return undefined
  // A range such as FRI-MON wraps around.
  const length = to - from + 1 + (to < from ? highest - lowest + 1 : 0)
  const steps = Array.from({ length: Math.ceil(length / by) }, (_, index) => from + index * by)
  return steps.map((value) => (value > highest ? value - (highest - lowest + 1) : value))
}

function numberOf(text: string, { lowest, highest, names = [] }: Field): number | undefined {
  const index = names.indexOf(text)
  if (index >= 0) return lowest + index
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= lowest && value <= highest ? value : undefined
}

/** Returns the expression in the syntax of the library; undefined for an invalid one. */
function translated(expression: string): string | undefined {
  const texts = expression.trim().toUpperCase().split(/\s+/)
  if (texts.length !== FIELDS.length) return undefined
  const fields = texts.map((text, index) => valuesIn(text, FIELDS[index]!))
  if (fields.includes(undefined)) return undefined
  return fields.map((values) => values?.join(',') ?? '*').join(' ')
}

export const CRON_RULE =
  "must have six fields, second minute hour day month weekday, with *, ',', '-', '/', ? for day or weekday, and weekdays 1 (Sunday) to 7, for example '0 30 3 * * MON-FRI'"

export function isCron(expression: string): boolean {
  return translated(expression) !== undefined
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Returns the next run of an expression after a time. If both day and weekday are restricted, either suffices, as in cron.
 * @returns null when it never runs, such as on a 30th of February
 */
export function nextByCron(expression: string, timeZone: string, after: Date): Date | null {
  const options = { mode: '6-part', alternativeWeekdays: true, timezone: timeZone, paused: true } as const
  return new Cron(translated(expression)!, options).nextRun(after)
}
