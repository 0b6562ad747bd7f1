import { expect, it } from 'vitest'
import { type LogParameters, logsQueryOf } from './log-parameters.ts'

const source = { threads: ['talk'] }

it('without parameters it is the last 20 messages of any type', () => {
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
])('%o means a limit of %i', (parameters, limit) => {
  expect(logsQueryOf(parameters, source).limit).toBe(limit)
})

it('a page begins and ends at times, or at messages of a time, exclusive unless included', () => {
  const { from, to } = logsQueryOf({ t: 5, mid: 'a', tIncluded: true, tt: 3 }, source)
  expect(from).toEqual({ ts: 5, id: 'a', included: true })
  expect(to).toEqual({ ts: 3, id: null, included: false })
})

it('a time of 0 is no time, nor is a message without one', () => {
  expect(logsQueryOf({ t: 0, mid: 'a', tt: 0 }, source)).toMatchObject({ from: null, to: null })
  expect(logsQueryOf({ mid: 'a' }, source).from).toBe(null)
})

it('the direction NEW goes from old to new', () => {
  expect(logsQueryOf({ direction: 'new' }, source).ascending).toBe(true)
  expect(logsQueryOf({ direction: 'old' }, source).ascending).toBe(false)
})

it('a type chooses messages of that type', () => {
  expect(logsQueryOf({ lctype: -1 }, source).type).toBe(-1)
})
