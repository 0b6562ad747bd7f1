import { afterEach, describe, expect, it, vi } from 'vitest'
import { type NumberRange, parseLocalTime, parseNumber, Unparsed } from './parse-entry.ts'

describe('a number with a range', () => {
  it.each<[string, NumberRange, number | string]>([
    ['0', { min: 0 }, 0],
    ['-1', { min: 0 }, 'atLeast'],
    ['90', { min: -90, max: 90 }, 90],
    ['90.01', { min: -90, max: 90 }, 'between'],
    ['3', { isInteger: true }, 3],
    ['3.0', { isInteger: true }, 3],
    ['3.5', { isInteger: true }, 'integer'],
    ['three', { isInteger: true }, 'integer'],
  ])('parses %s in %j as %s', (text, range, expected) => {
    const read = parseNumber(text, range)
    expect(read instanceof Unparsed ? read.rule : read).toBe(expected)
  })
})

describe('a local time', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each<[zone: string, text: string, expected: string]>([
    ['UTC', '2026-01-31T08:30', '2026-01-31T08:30:00.000Z'],
    ['Asia/Shanghai', '2026-01-31T08:30:15.5', '2026-01-31T00:30:15.500Z'],
    ['UTC', '0099-01-01T00:00', '0099-01-01T00:00:00.000Z'],
    // Clocks skip from 2 to 3 there.
    ['Europe/Berlin', '2026-03-29T02:30', 'noSuchTime'],
    ['UTC', '2026-02-30T00:00', 'noSuchTime'],
    ['UTC', '', 'time'],
    ['UTC', '2026-01-31', 'time'],
    ['UTC', '12026-01-31T00:00', 'time'],
    ['UTC', 'tomorrow', 'time'],
  ])('of %s: parses %j as %s', (zone, text, expected) => {
    vi.stubEnv('TZ', zone)
    const read = parseLocalTime(text)
    expect(read instanceof Unparsed ? read.rule : read.iso).toBe(expected)
  })
})
