import { expect, it } from 'vitest'
import { makeRequestId } from './request-id.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const ID = /^[0-9a-f]{32}-[0-9a-f]{16}$/

it.each([`00-${TRACE}-00f067aa0ba902b7-01`, `01-${TRACE}-00f067aa0ba902b7-00-later`])(
  'takes the trace of %s',
  (traceparent) => {
    const id = makeRequestId({ traceparent })
    expect(id).toMatch(ID)
    expect(id.startsWith(`${TRACE}-`)).toBe(true)
    expect(id).not.toContain('00f067aa0ba902b7')
  },
)

it.each([
  undefined,
  '',
  TRACE,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01-${'x'.repeat(500)}`,
  '00-\r\nX: 1-1-01',
])('makes a trace instead of an invalid one: %j', (traceparent) => {
  const id = makeRequestId(traceparent === undefined ? {} : { traceparent })
  expect(id).toMatch(ID)
  expect(id.startsWith(TRACE)).toBe(false)
})

it('makes different ids', () => {
  expect(new Set(Array.from({ length: 2000 }, () => makeRequestId({}))).size).toBe(2000)
})
