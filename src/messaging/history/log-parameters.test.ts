import { expect, it } from 'vitest'
import { type LogParameters, logsQueryOf } from './log-parameters.ts'

const source = { threads: ['talk'] }

it('requests the last 20 messages of any type by default', () => {
  expect(logsQueryOf({}, source)).toEqual({ source, from: null, to: null, ascending: false, limit: 20, type: null })
})

it.each<[wanted: LogParameters, limit: number]>([
  [{ l: 5 }, 5],
  [{ limit: 5 }, 5],
  [{ l: 5, limit: 7 }, 5],
  [{ limit: 0 }, 20],
  [{ l: 0 }, 0],
  [{ l: 100 }, 100],
  [{ l: 101 }, 100],
  [{ limit: 1000 }, 100],
  [{ l: -1 }, 20],
])('turns %o into a limit of %i', (parameters, limit) => {
  expect(logsQueryOf(parameters, source).limit).toBe(limit)
})

it('limits a page by times or messages, exclusive by default', () => {
  const { from, to } = logsQueryOf({ t: 5, mid: 'a', tIncluded: true, tt: 3 }, source)
  expect(from).toEqual({ ts: 5, id: 'a', included: true })
  expect(to).toEqual({ ts: 3, id: null, included: false })
})

it('ignores a time of 0, and a message without a time', () => {
  expect(logsQueryOf({ t: 0, mid: 'a', tt: 0 }, source)).toMatchObject({ from: null, to: null })
  expect(logsQueryOf({ mid: 'a' }, source).from).toBe(null)
})

it('returns the oldest message first for the direction NEW', () => {
  expect(logsQueryOf({ direction: 'new' }, source).ascending).toBe(true)
  expect(logsQueryOf({ direction: 'old' }, source).ascending).toBe(false)
})

it('filters by type', () => {
  expect(logsQueryOf({ lctype: -1 }, source).type).toBe(-1)
})
