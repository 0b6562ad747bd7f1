import { expect, it } from 'vitest'
import { inEnglish } from '../notices/in-english.ts'
import { notice } from '../notices/notice.ts'
import type { Outcome } from './move.ts'
import type { ComparedReport, ImportReport, MoveReport } from './move-report.ts'
import { readOutcome } from './stored-report.ts'

const outcomeOf = (report: unknown): Outcome => ({
  result: 'incomplete',
  text: 'what the command printed',
  report: report as MoveReport,
  at: '2026-01-01T00:00:00.000Z',
  hasRejected: true,
})

it('shows the reports of an earlier version as their English text', () => {
  const imported = {
    kind: 'brought',
    dryRun: false,
    counts: [],
    notes: [{ text: 'Post: an empty ACL', count: 2, examples: ['Post.jsonl:1'] }],
    reasons: [{ name: 'Post', reason: 'The line is no JSON.', count: 1 }],
    notUnderstood: ['a.txt: it is none of the known forms'],
    remarks: ['No schema export was given.'],
    removed: [
      { name: 'Post', removed: 0, kept: 0, refusal: 'too many' },
      { name: 'Tag', removed: 1, kept: 0, refusal: null },
    ],
    rewritten: null,
  }
  const read = readOutcome(outcomeOf(imported)).report as ImportReport
  expect(read.notes).toEqual([
    { notice: { code: 'text', text: 'Post: an empty ACL' }, count: 2, examples: ['Post.jsonl:1'] },
  ])
  expect(read.reasons.map(({ reason }) => inEnglish(reason))).toEqual(['The line is no JSON.'])
  expect(read.notUnderstood.map(inEnglish)).toEqual(imported.notUnderstood)
  expect(read.remarks.map(inEnglish)).toEqual(imported.remarks)
  expect(read.removed.map(({ refusal }) => refusal)).toEqual([{ code: 'text', text: 'too many' }, null])
  const example = { name: 'Post', objectId: 'a', what: 'unreadable', field: 'n', there: null, here: null }
  const compared = {
    kind: 'compared',
    isSafe: false,
    counts: [],
    examples: [{ ...example, reason: 'The line is no JSON.' }],
    notes: [],
    schema: ['there is no class Post here'],
    notRead: [],
    otherClasses: ['Tag'],
  }
  expect(readOutcome(outcomeOf(compared)).report).toEqual({
    ...compared,
    examples: [{ ...example, reason: { code: 'text', text: 'The line is no JSON.' } }],
    schema: [{ code: 'text', text: 'there is no class Post here' }],
  })
})

it('returns the reports of this version unchanged', () => {
  const report: ComparedReport = {
    kind: 'compared',
    isSafe: false,
    counts: [],
    examples: [],
    notes: [{ notice: notice('emptyAcl'), count: 1, examples: [] }],
    schema: [notice('classMissing', { className: 'Post' })],
    notRead: [],
    remarks: [],
    otherClasses: [],
  }
  expect(readOutcome(outcomeOf(report))).toEqual(outcomeOf(report))
  expect(readOutcome({ ...outcomeOf(null), report: null }).report).toBeNull()
})
