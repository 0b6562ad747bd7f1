import { expect, test } from 'vitest'
import type { Kind } from '../../import/batch.ts'
import type { Finding } from '../../import/verification.ts'
import { textNotice } from '../../notices/notice.ts'
import type { Arrival } from './meaning.ts'
import { conclusion, reportText, type VerifyReport } from './report.ts'
import { reportJson } from './report-json.ts'
import { type Difference, Tally } from './tally.ts'

const posts: Kind = { kind: 'objects', className: 'Post' }
const arrival: Arrival = { isLive: false, pulledUntil: null, importedAt: '2026-01-01T00:00:00.000Z' }
const finding = (more: Partial<Finding>): Finding => ({
  what: 'missing',
  id: 'a',
  place: 'Post.jsonl:2',
  changedThere: null,
  changedHere: null,
  fields: [],
  ...more,
})
const batch = (findings: readonly Finding[], nameless = 0) => ({ findings, keys: [], nameless, compared: 9, notes: {} })

function reportOf(fill: (tally: Tally) => void, more: Partial<VerifyReport> = {}): VerifyReport {
  const tally = new Tally(() => {})
  fill(tally)
  return {
    tallied: tally.tallied(),
    examples: tally.examples(),
    notes: {},
    schema: { faults: [], notes: [] },
    boards: { count: 0, faults: [], notes: [] },
    notRead: [],
    remarks: [],
    otherClasses: [],
    logins: null,
    sample: null,
    ...more,
  }
}

test('counts missing records by class, in one line', () => {
  const report = reportOf((tally) =>
    tally.addBatch(
      posts,
      10,
      batch([
        finding({}),
        finding({ id: 'b' }),
        finding({ what: 'different', id: 'c', fields: [{ field: 'n', there: '1', here: '2' }] }),
      ]),
      arrival,
    ),
  )
  expect(conclusion(report)).toBe('Not safe to switch: 2 objects of Post are missing, 1 object of Post differs.')
  expect(report.tallied.get('Post')).toMatchObject({ there: 10, same: 7 })
  expect(reportText(report)).toContain('Post c: n is 2 in the app, 1 in the source')
  expect(JSON.parse(reportJson(report))).toMatchObject({ safe: false, classes: { Post: { verdicts: { missing: 2 } } } })
})

test('bounds the line, and removes control characters', () => {
  const report = reportOf(
    (tally) => {
      for (let n = 10; n < 40; n++)
        tally.addBatch({ kind: 'objects', className: `Class${n}` }, 1, batch([finding({})]), arrival)
    },
    { notRead: [textNotice('a\u001b[2J\u009bfile: is cut off')] },
  )
  expect(conclusion(report)).toMatch(/1 object of Class16 is missing, and 23 more problems\.$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(reportText(report)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('expects as many objects with new ids as were imported without an id', () => {
  const differences: Difference[] = []
  const tally = new Tally((one) => differences.push(one))
  tally.addBatch(posts, 2, batch([], 2), arrival)
  for (const key of ['x', 'y', 'z']) tally.addOnlyHere(posts, key, null, arrival)
  expect([tally.faults, tally.tallied().get('Post')!.verdicts]).toEqual([1, { 'only here': 1 }])
  expect(differences.map(({ objectId }) => objectId)).toEqual(['z'])
})

test.each([
  ['none is here', [], 3],
  ['one was created before', [null], 2],
  ['two were created since', ['2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'], 1],
  ['all are here', [null, '2026-02-01T00:00:00.000Z', null], undefined],
])('reports objects without an id as missing if fewer are here: %s', (_what, created, missing) => {
  const report = reportOf((tally) => {
    tally.addBatch(posts, 3, batch([], 3), arrival)
    for (const [index, since] of created.entries()) tally.addOnlyHere(posts, `id${index}`, since, arrival)
    tally.setHere(posts, created.length, 0)
  })
  expect(report.tallied.get('Post')!.verdicts.missing).toBe(missing)
  expect(conclusion(report)).toMatch(
    missing === undefined ? /^Safe/ : /^Not safe to switch: \d objects? of Post (is|are) missing/,
  )
})

test('lists later changes without making the switch unsafe', () => {
  const late = '2026-02-01T00:00:00.000Z'
  const report = reportOf(
    (tally) => {
      tally.addBatch(
        posts,
        9,
        batch([finding({ what: 'different', changedThere: '2025-01-01T00:00:00.000Z', changedHere: late })]),
        arrival,
      )
      tally.addOnlyHere(posts, 'x', late, arrival)
    },
    { logins: { checked: 2, failed: 0, failures: [] } },
  )
  expect(conclusion(report)).toBe(
    'Safe to switch: all 9 records of the source are in the app and match (but 1 changed in the app since, 1 created in the app since); 2 of 2 logins succeed.',
  )
})
