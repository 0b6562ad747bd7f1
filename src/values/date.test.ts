import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { canonicalDate, dateFromDatabase, isDatabaseTime, lastModified, timeOfDate } from './date.ts'

const timeZone = process.env.TZ
afterEach(() => {
  if (timeZone === undefined) delete process.env.TZ
  else process.env.TZ = timeZone
})

describe('date texts', () => {
  it.each([
    ['2026-11-20T21:27:00.123Z', '2026-11-20T21:27:00.123Z'],
    ['2026-11-20T21:27:00Z', '2026-11-20T21:27:00.000Z'],
    ['2026-11-20T21:27Z', '2026-11-20T21:27:00.000Z'],
    ['2026-11-20T21:27:00.5+08:00', '2026-11-20T13:27:00.500Z'],
    ['2026-11-20T21:27:00+0800', '2026-11-20T13:27:00.000Z'],
    ['2026-11-20T21:27:00-03', '2026-11-21T00:27:00.000Z'],
    ['2026-11-20T21:27:00-00:00', '2026-11-20T21:27:00.000Z'],
    ['2026-11-20T21:27:00.123999999Z', '2026-11-20T21:27:00.123Z'],
    ['2026-11-20T21:27:00', '2026-11-20T21:27:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('accepts %j as %j', (text, canonical) => {
    expect(canonicalDate(text)).toBe(canonical)
    expect(timeOfDate(text)).toBe(Date.parse(canonical))
  })

  it.each([
    '',
    ' ',
    '5',
    '2026',
    '2026-11',
    'room 7',
    'now',
    'not a date',
    'Fri, 20 Nov 2026 21:27:00 GMT',
    'Nov 20, 2026',
    '11/20/2026',
    '2026/11/20',
    '2026-11-20 21:27:00',
    '2026-11-20 21:27:00Z',
    '2026-11-20t21:27:00z',
    '2026-11-20T21:27:00 Z',
    '2026-11-20T21',
    '2026-11-20T21Z',
    '2026-11-20T212700Z',
    '20261120T212700Z',
    '2026-W47-5',
    '2026-324',
    '2026-1-2',
    '2026-11-20T1:2:3Z',
    '2026-11-20Z',
    '2026-11-20+08:00',
    '2026-11-20T21:27:00.Z',
    '2026-11-20T21:27:00,5Z',
    '2026-11-20T21:27.5Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T21:60:00Z',
    '2026-11-20T21:27:60Z',
    '2026-11-20T21:27:00+24:00',
    '2026-11-20T21:27:00+08:60',
    '2026-11-20T21:27:00+8',
    '2026-11-20T21:27:00+08:',
    '2026-11-20T21:27:00Z+08:00',
    '2026-11-20T21:27:00 UTC',
    '2026-11-20T21:27:00[Asia/Shanghai]',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '2021-02-29',
    '2021-02-30',
    '1900-02-29T00:00:00.000Z',
    '2021-02-30T00:00:00.000Z',
    '2021-04-31T00:00:00Z',
    '+002026-11-20T21:27:00.000Z',
    '+012026-11-20T21:27:00.000Z',
    '-000001-01-01T00:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:00-00:01',
    ' 2026-11-20T21:27:00Z',
    '2026-11-20T21:27:00Z\n',
    '２０２６-11-20T21:27:00Z',
    '1605907620000',
    '2026-11-20T21:27:00Z (first room)',
  ])('rejects %j', (text) => {
    expect(canonicalDate(text)).toBeNull()
    expect(timeOfDate(text)).toBeNull()
  })

  it('have the instant that day arithmetic gives, for every text of the grammar', () => {
    fc.assert(
      fc.property(grammar, ({ text, time }) => {
        const isInYears = time >= FIRST && time <= LAST
        expect(timeOfDate(text)).toBe(isInYears ? time : null)
        const iso = canonicalDate(text)
        if (iso !== null) expect([canonicalDate(iso), timeOfDate(iso)]).toEqual([iso, time])
      }),
      { numRuns: 2000 },
    )
  })

  it('are rejected exactly where a scanner of the grammar stops, for damaged texts', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const time = scan(text)
        expect(timeOfDate(text)).toBe(time !== null && time >= FIRST && time <= LAST ? time : null)
      }),
      { numRuns: 5000 },
    )
  })

  it('mean the same in every time zone of the machine', () => {
    const offsets = new Set<number>()
    fc.assert(
      fc.property(grammar, ({ text, time }) => {
        for (const zone of ['UTC', 'Asia/Shanghai', 'America/St_Johns', 'Pacific/Apia', 'Europe/Helsinki']) {
          process.env.TZ = zone
          offsets.add(new Date(2020, 0, 1).getTimezoneOffset())
          expect(timeOfDate(text)).toBe(time >= FIRST && time <= LAST ? time : null)
        }
      }),
      { numRuns: 100 },
    )
    // Each zone took effect; otherwise this test would prove nothing.
    expect(offsets.size).toBe(5)
  })

  it('are not database timestamps in the year 0', () => {
    expect(isDatabaseTime('0000-12-31T23:59:59.999Z')).toBe(false)
    expect(isDatabaseTime('0001-01-01T00:00:00.000Z')).toBe(true)
  })
})

describe('dates', () => {
  it.each([
    ['2026-11-20 21:27:00+00', '2026-11-20T21:27:00.000Z'],
    ['2026-11-20 21:27:00.5+00', '2026-11-20T21:27:00.500Z'],
    ['2026-11-20 21:27:00.123+00', '2026-11-20T21:27:00.123Z'],
  ])('converts the timestamp %j of the database to %j on the wire', (text, wire) =>
    expect(dateFromDatabase(text)).toBe(wire),
  )
  it('formats Last-Modified with milliseconds', () => {
    expect(lastModified('2019-09-19T08:59:22.827Z')).toBe('Thu, 19 Sep 2019 08:59:22.827 GMT')
  })
})

/** Returns the days since 1970 of a Gregorian date, computed without `Date`. */
function dayNumber(year: number, month: number, day: number): number {
  const leapDays = (before: number) => Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const daysBefore = (to: number) => 365 * to + leapDays(to - 1)
  let days = daysBefore(year) - daysBefore(1970) + day - 1
  for (let earlier = 1; earlier < month; earlier++) days += daysOfMonth(year, earlier)
  return days
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const DAY = 86_400_000
const FIRST = dayNumber(0, 1, 1) * DAY
const LAST = dayNumber(10_000, 1, 1) * DAY - 1

const digits = (value: number, width: number) => String(value).padStart(width, '0')

/** Texts of the grammar, with their instants. */
const grammar = fc
  .record({
    year: fc.oneof(fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: 0, max: 9999 })),
    month: fc.integer({ min: 1, max: 12 }),
    dayOf31: fc.integer({ min: 1, max: 31 }),
    form: fc.constantFrom('date', 'minutes', 'seconds', 'fraction'),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    second: fc.integer({ min: 0, max: 59 }),
    fraction: fc.stringMatching(/^[0-9]{1,12}$/),
    zone: fc.oneof(
      fc.constantFrom('', 'Z'),
      fc.record({
        sign: fc.constantFrom('+', '-'),
        hours: fc.integer({ min: 0, max: 23 }),
        minutes: fc.option(fc.integer({ min: 0, max: 59 })),
        colon: fc.constantFrom(':', ''),
      }),
    ),
  })
  .map(({ year, month, dayOf31, form, hour, minute, second, fraction, zone }) => {
    const day = Math.min(dayOf31, daysOfMonth(year, month))
    const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
    const midnight = dayNumber(year, month, day) * DAY
    if (form === 'date') return { text: date, time: midnight }
    const withSeconds = form === 'minutes' ? '' : `:${digits(second, 2)}${form === 'fraction' ? `.${fraction}` : ''}`
    const seconds = form === 'minutes' ? 0 : second
    const milliseconds = form === 'fraction' ? Number(fraction.padEnd(3, '0').slice(0, 3)) : 0
    const written =
      typeof zone === 'string'
        ? zone
        : `${zone.sign}${digits(zone.hours, 2)}${zone.minutes === null ? '' : `${zone.colon}${digits(zone.minutes, 2)}`}`
    const ahead = typeof zone === 'string' ? 0 : (zone.hours * 60 + (zone.minutes ?? 0)) * (zone.sign === '+' ? 1 : -1)
    return {
      text: `${date}T${digits(hour, 2)}:${digits(minute, 2)}${withSeconds}${written}`,
      time: midnight + ((hour * 60 + minute - ahead) * 60 + seconds) * 1000 + milliseconds,
    }
  })

/** Texts of the grammar in which a few characters are removed, added or replaced. */
const damaged = fc
  .tuple(
    grammar,
    fc.array(
      fc.record({
        at: fc.nat(30),
        removed: fc.nat(2),
        added: fc.constantFrom(
          '',
          '0',
          '1',
          '3',
          '6',
          '9',
          '-',
          ':',
          '.',
          'T',
          'Z',
          '+',
          ' ',
          't',
          'z',
          '/',
          ',',
          '２',
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([{ text }, changes]) =>
    changes.reduce((now, { at, removed, added }) => now.slice(0, at) + added + now.slice(at + removed), text),
  )

/** Parses a text of the grammar character by character. @returns the instant, null if the text does not follow the grammar */
function scan(text: string): number | null {
  let at = 0
  const number = (width: number, min: number, max: number): number => {
    let value = 0
    for (let digit = 0; digit < width; digit++, at++) {
      const code = text.charCodeAt(at) - 48
      if (!(code >= 0 && code <= 9)) return Number.NaN
      value = value * 10 + code
    }
    return value >= min && value <= max ? value : Number.NaN
  }
  const takes = (character: string) => text[at] === character && ++at > 0
  const year = number(4, 0, 9999)
  if (!takes('-')) return null
  const month = number(2, 1, 12)
  if (!takes('-')) return null
  const day = number(2, 1, Number.isNaN(month) ? 31 : daysOfMonth(year, month))
  // NaN as soon as one part is invalid: otherwise the loop over months would end early.
  let time = year + month + day >= 0 ? dayNumber(year, month, day) * DAY : Number.NaN
  if (at === text.length) return Number.isNaN(time) ? null : time
  if (!takes('T')) return null
  time += number(2, 0, 23) * 3_600_000
  if (!takes(':')) return null
  time += number(2, 0, 59) * 60_000
  if (takes(':')) {
    time += number(2, 0, 59) * 1000
    if (takes('.')) {
      const from = at
      while (at < text.length && text[at]! >= '0' && text[at]! <= '9') at++
      if (at === from) return null
      time += Number(text.slice(from, Math.min(at, from + 3)).padEnd(3, '0'))
    }
  }
  const sign = text[at]
  if (sign === '+' || sign === '-') {
    at++
    let ahead = number(2, 0, 23) * 3_600_000
    if (at < text.length) {
      takes(':')
      ahead += number(2, 0, 59) * 60_000
    }
    time -= sign === '+' ? ahead : -ahead
  } else takes('Z')
  return at === text.length && !Number.isNaN(time) ? time : null
}
