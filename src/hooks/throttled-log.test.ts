import { pino } from 'pino'
import { expect, it } from 'vitest'
import { ThrottledLog } from './throttled-log.ts'

it('logs the first warning immediately, and later ones at intervals, with the number of those skipped', () => {
  let time = 0
  const logged: string[] = []
  const log = new ThrottledLog(pino({ base: null }, { write: (line) => void logged.push(line) }), () => time)
  const warn = (subject: string) => log.warn(subject, { subject }, 'it failed')
  warn('one')
  warn('one')
  time = 9999
  warn('one')
  warn('another')
  time = 10_000
  warn('one')
  const lines = logged.map((line) => JSON.parse(line))
  expect(lines.map(({ subject, unsaid }) => [subject, unsaid])).toEqual([
    ['one', undefined],
    ['another', undefined],
    ['one', 2],
  ])
  expect(lines[0]).toMatchObject({ level: 40, msg: 'it failed' })
})
