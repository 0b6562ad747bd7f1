import { expect, test } from 'vitest'
import { notice } from '../../notices/notice.ts'
import { comparedReport } from './compared-report.ts'

test('lists differing leaderboards, and records that could only be counted, in the report for a page', () => {
  const report = comparedReport({
    tallied: new Map([['Post', { there: 3, here: 3, same: 1, compared: 1, nameless: 2, repeated: 1, verdicts: {} }]]),
    examples: [],
    notes: {},
    schema: { faults: [notice('classMissing', { className: 'Post' })], notes: [] },
    boards: {
      count: 2,
      faults: [notice('leaderboardNotHere', { name: 'best' })],
      notes: [notice('leaderboardAtOtherVersion', { name: 'new', here: 2, there: 1 })],
    },
    notRead: [],
    remarks: [],
    otherClasses: [],
    logins: null,
    sample: null,
  })
  expect(report).toMatchObject({
    isSafe: false,
    schema: [
      { code: 'classMissing', className: 'Post' },
      { code: 'leaderboardNotHere', name: 'best' },
    ],
    remarks: [
      { code: 'leaderboardAtOtherVersion', name: 'new', here: 2, there: 1 },
      { code: 'recordsWithoutId', records: 2, name: 'Post' },
      { code: 'recordsRepeated', records: 1, name: 'Post' },
    ],
  })
})
