import { expect, it } from 'vitest'
import { notice } from '../notices/notice.ts'
import { type Alert, type AlertEvent, CLEAR_MS, nextState, REMIND_MS, REPORT_MS } from './alert-state.ts'

const problem = notice('alertRedis')
const bad = { id: 'redis', isOfNode: false, problem }
const good = { ...bad, problem: null }
const MINUTE = 60_000

/** Evaluates an alert once a minute. @returns the events with the minute of each */
function run(minutes: number, readings: (minute: number) => readonly (readonly [string, typeof bad | typeof good])[]) {
  let alert: Alert | null = null
  const events: (readonly [number, AlertEvent])[] = []
  for (let minute = 0; minute < minutes; minute++) {
    for (const [node, reading] of readings(minute)) {
      const next: ReturnType<typeof nextState> = nextState(alert, reading, node, minute * MINUTE)
      alert = next.alert
      if (next.event) events.push([minute, next.event])
    }
  }
  return { alert, events }
}

it('notifies when a condition starts, and when it has been over for a quarter of an hour', () => {
  const { alert, events } = run(60, (minute) => [['a', minute >= 5 && minute < 20 ? bad : good]])
  expect(events).toEqual([
    [5, 'started'],
    [20 + CLEAR_MS / MINUTE, 'ended'],
  ])
  expect(alert).toBeNull()
})

it('reminds once a day', () => {
  const day = REMIND_MS / MINUTE
  const { events } = run(2 * day + 1, () => [['a', bad]])
  expect(events).toEqual([
    [0, 'started'],
    [day, 'continues'],
    [2 * day, 'continues'],
  ])
})

it('treats a condition that comes and goes as one alert', () => {
  const { events } = run(120, (minute) => [['a', minute % 10 === 0 ? bad : good]])
  expect(events).toEqual([[0, 'started']])
})

it('notifies once of a condition that several nodes report, and ends when none reports it', () => {
  const { events } = run(90, (minute) => [
    ['a', minute < 20 ? bad : good],
    ['b', minute < 40 ? bad : good],
  ])
  expect(events).toEqual([
    [0, 'started'],
    [40 + CLEAR_MS / MINUTE, 'ended'],
  ])
})

it('ignores the report of a node that has ended', () => {
  const { events } = run(60, (minute) => (minute === 0 ? [['a', bad]] : [['b', good]]))
  expect(events).toEqual([
    [0, 'started'],
    [(REPORT_MS + CLEAR_MS) / MINUTE, 'ended'],
  ])
})

it('ends the alert of a node that has ended', () => {
  const ofNode = { id: 'disk', isOfNode: true, problem }
  const { alert } = nextState(null, ofNode, 'a', 0)
  expect(alert).toMatchObject({ key: 'disk a', node: 'a' })
  const stale = nextState(alert, null, 'b', REPORT_MS)
  expect(stale).toMatchObject({ event: null, alert: { clearSince: REPORT_MS } })
  expect(nextState(stale.alert, null, 'b', REPORT_MS + CLEAR_MS)).toEqual({ alert: null, event: 'ended' })
})

it('keeps the time of the start and shows the latest problem', () => {
  const { alert } = nextState(null, bad, 'a', 0)
  const later = notice('alertDatabaseDisk')
  expect(nextState(alert, { ...bad, problem: later }, 'a', MINUTE)).toEqual({
    event: null,
    alert: { ...alert, problem: later, reports: { a: MINUTE } },
  })
})
