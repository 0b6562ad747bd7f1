import { expect, it } from 'vitest'
import { NO_COUNTS } from '../batch.ts'
import { RecentConflicts } from './recent-conflicts.ts'

const CONFLICTING = { ...NO_COUNTS, existing: 1 }

/** Counts the batches that are expected to have conflicts after the last conflict. */
function slowBatches(meetings: RecentConflicts, name: string, before = CONFLICTING): number {
  let count = 0
  for (; !meetings.expectsNone(name, before); count++) meetings.note(name, NO_COUNTS, before)
  return count
}

it('expects no conflicts in an import without conflicts', () => {
  expect(new RecentConflicts().expectsNone('a', NO_COUNTS)).toBe(true)
})

it.each(['existing', 'updated'] as const)('a record that is %s affects the next batches, but not forever', (what) => {
  const meetings = new RecentConflicts()
  meetings.note('a', { ...NO_COUNTS, [what]: 1 }, NO_COUNTS)
  expect(meetings.expectsNone('a', CONFLICTING)).toBe(false)
  expect(meetings.expectsNone('b', NO_COUNTS)).toBe(true)
  expect(slowBatches(meetings, 'a')).toBe(8)
  expect(meetings.expectsNone('a', CONFLICTING)).toBe(true)
  meetings.note('a', CONFLICTING, CONFLICTING)
  expect(slowBatches(meetings, 'a')).toBe(8)
})

it('never expects new records while each batch has conflicts', () => {
  const meetings = new RecentConflicts()
  for (let batch = 0; batch < 30; batch++) {
    meetings.note('a', batch % 3 === 0 ? CONFLICTING : NO_COUNTS, CONFLICTING)
    expect(meetings.expectsNone('a', CONFLICTING)).toBe(false)
  }
})

it('treats earlier conflicts of the import as those of the last batch after a restart', () => {
  expect(slowBatches(new RecentConflicts(), 'a')).toBe(8)
})
