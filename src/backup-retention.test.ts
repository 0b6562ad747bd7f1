import { describe, expect, it } from 'vitest'
import { expiredBackups, parseBackupRetention } from './backup-retention.ts'

describe('parseBackupRetention', () => {
  it.each([
    ['7d,4w', { newest: 0, days: 7, weeks: 4, months: 0 }],
    ['3, 12m', { newest: 3, days: 0, weeks: 0, months: 12 }],
    ['1', { newest: 1, days: 0, weeks: 0, months: 0 }],
  ])('parses %j', (text, retention) => {
    expect(parseBackupRetention(text)).toEqual(retention)
  })

  it.each(['', '0', '0d,0w', '7x', '-1', 'all', '7d;4w', '99999'])('rejects %j', (text) => {
    expect(parseBackupRetention(text)).toBeNull()
  })
})

describe('expiredBackups', () => {
  const at = (...texts: string[]) => texts.map((text) => ({ startedAt: new Date(text) }))
  const expired = (keep: string, ...texts: string[]) =>
    expiredBackups(at(...texts), parseBackupRetention(keep)!).map(({ startedAt }) =>
      startedAt.toISOString().slice(0, 13),
    )

  it('keeps the newest of each day', () => {
    const given = ['2026-03-01T01:00Z', '2026-03-01T13:00Z', '2026-03-02T01:00Z', '2026-03-04T01:00Z']
    expect(expired('2d', ...given)).toEqual(['2026-03-01T13', '2026-03-01T01'])
    expect(expired('3d', ...given)).toEqual(['2026-03-01T01'])
  })

  it('keeps the newest of each week, which begins on Monday', () => {
    // 2026-03-01 is a Sunday.
    expect(expired('2w', '2026-02-23T01:00Z', '2026-03-01T01:00Z', '2026-03-02T01:00Z')).toEqual(['2026-02-23T01'])
  })

  it('keeps a backup that any rule keeps', () => {
    expect(expired('1,2m', '2026-01-05T01:00Z', '2026-02-05T01:00Z', '2026-02-06T01:00Z')).toEqual(['2026-02-05T01'])
  })

  it('keeps the only backup, however old', () => {
    expect(expired('1d', '2020-01-01T01:00Z')).toEqual([])
  })
})
