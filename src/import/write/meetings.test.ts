import { expect, it } from 'vitest'
import { NO_COUNTS } from '../batch.ts'
import { Meetings } from './meetings.ts'

const MET = { ...NO_COUNTS, existing: 1 }

/** How many batches are written one by one behind a meeting, when none of them meets anything. */
function slowBatches(meetings: Meetings, name: string, before = MET): number {
  let count = 0
  for (; !meetings.expectsNone(name, before); count++) meetings.note(name, NO_COUNTS, before)
  return count
}

it('an import that has met nothing expects nothing', () => {
  expect(new Meetings().expectsNone('a', NO_COUNTS)).toBe(true)
})

it.each(['existing', 'updated'] as const)(
  'a record that is %s counts for the next batches, and not for good',
  (what) => {
    const meetings = new Meetings()
    meetings.note('a', { ...NO_COUNTS, [what]: 1 }, NO_COUNTS)
    expect(meetings.expectsNone('a', MET)).toBe(false)
    expect(meetings.expectsNone('b', NO_COUNTS)).toBe(true)
    expect(slowBatches(meetings, 'a')).toBe(8)
    expect(meetings.expectsNone('a', MET)).toBe(true)
    meetings.note('a', MET, MET)
    expect(slowBatches(meetings, 'a')).toBe(8)
  },
)

it('batches that meet something all the time are never expected to be new', () => {
  const meetings = new Meetings()
  for (let batch = 0; batch < 30; batch++) {
    meetings.note('a', batch % 3 === 0 ? MET : NO_COUNTS, MET)
    expect(meetings.expectsNone('a', MET)).toBe(false)
  }
})

it('after a restart what the import has met counts, as if it were the last batch', () => {
  expect(slowBatches(new Meetings(), 'a')).toBe(8)
})
