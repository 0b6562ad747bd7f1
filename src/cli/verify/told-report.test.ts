import { expect, test } from 'vitest'
import { toldReport } from './told-report.ts'

test('the report for a page names leaderboards that are others here, and what could only be counted', () => {
  const report = toldReport({
    tallied: new Map([['Post', { there: 3, here: 3, same: 1, compared: 1, nameless: 2, repeated: 1, verdicts: {} }]]),
    examples: [],
    notes: {},
    schema: { faults: ['there is no class Post here'], notes: [] },
    boards: {
      count: 2,
      faults: ['there is no leaderboard best here'],
      notes: ['leaderboard new is at version 2 here, at 1 there'],
    },
    notRead: [],
    remarks: [],
    otherClasses: [],
    logins: null,
    sample: null,
  })
  expect(report).toMatchObject({
    isSafe: false,
    schema: ['there is no class Post here', 'there is no leaderboard best here'],
    remarks: [
      'leaderboard new is at version 2 here, at 1 there',
      '2 of Post have no objectId, so they were only counted',
      '1 of Post come more than once in the source',
    ],
  })
})
