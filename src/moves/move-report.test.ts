import { expect, it } from 'vitest'
import { textNotice } from '../notices/notice.ts'
import { boundedReport, type ComparedReport, type ImportReport, reportForReaders } from './move-report.ts'

const imported: ImportReport = {
  kind: 'brought',
  dryRun: false,
  counts: [{ name: '_User', read: 3, created: 2, updated: 0, existing: 0, rejected: 1, here: 2 }],
  notes: [{ notice: textNotice('a field was left away'), count: 1, examples: ['secret place'] }],
  reasons: [{ name: '_User', reason: textNotice("password 'secret' is no hash"), count: 1 }],
  notUnderstood: [],
  remarks: [],
  removed: [],
  rewritten: null,
}
const compared: ComparedReport = {
  kind: 'compared',
  isSafe: false,
  counts: [],
  examples: [
    {
      name: '_User',
      objectId: 'u1',
      what: 'differs',
      field: 'city',
      there: '"secret"',
      here: '"secret 2"',
      reason: null,
    },
    {
      name: '_User',
      objectId: 'u2',
      what: 'unreadable',
      field: null,
      there: null,
      here: null,
      reason: textNotice('secret 3'),
    },
  ],
  notes: [],
  schema: [],
  notRead: [],
  remarks: [],
  otherClasses: [],
}

it.each([imported, compared])('shows readers counts and names, without contents of records', (report) => {
  expect(JSON.stringify(reportForReaders(report))).not.toContain('secret')
  expect(reportForReaders(imported)).toMatchObject({ counts: imported.counts, notes: [{ count: 1 }] })
  expect(reportForReaders(compared)).toMatchObject({
    examples: [{ objectId: 'u1', field: 'city' }, { objectId: 'u2' }],
  })
})

it('bounds the size of a report', () => {
  const large = {
    ...imported,
    notUnderstood: Array.from({ length: 100_000 }, (_, n) => textNotice(`${n} `.repeat(700))),
  }
  const { notUnderstood, counts } = boundedReport(large)
  expect(notUnderstood).toHaveLength(500)
  expect(notUnderstood[0]!.text).toHaveLength(1001)
  expect(counts).toEqual(imported.counts)
})
