import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import { notice } from '../../notices/notice.ts'
import { contentsNotice, contentsOf, lossOf, sumOfContents, type TakenFile } from './contents.ts'
import type { Surveyed, SurveyedEntry } from './survey.ts'

const entry = (name: string, form: SurveyedEntry['form'], size: number | null = null): SurveyedEntry => ({
  name,
  form,
  size,
  isPacked: true,
})
const post = { form: 'lines', of: { className: 'Post' } } as const
const taken: TakenFile = { bytes: 90, lines: 3, headers: 1, records: 3, skipped: 0, isComplete: true }
const surveyed = (entries: readonly SurveyedEntry[]): Surveyed => ({
  file: { path: '/tmp/a.zip', name: 'a.zip', size: 1, digest: '' },
  entries,
  fault: null,
})

describe('reports data that is lost without a fault', () => {
  it.each<[string, Partial<TakenFile>, RegExp | null]>([
    ['nothing', {}, null],
    ['lines that are skipped by a header', { lines: 5, skipped: 2 }, null],
    ['a file without lines that can be counted', { lines: null, records: 1 }, null],
    ['bytes', { bytes: 89 }, /Post\.jsonl: 89 bytes of it were read, and its archive lists 90/],
    ['a file that is empty', { bytes: 0, lines: 0, records: 0 }, /0 bytes of it were read/],
    ['a line', { lines: 4 }, /it has 4 lines, and 3 of them were read/],
  ])('%s', (_what, more, loss) => {
    expect(lossOf(entry('Post.jsonl', post, 90), { ...taken, ...more }).map(inEnglish)).toEqual(
      loss ? [expect.stringMatching(loss)] : [],
    )
  })
})

it('counts each file of an archive once', () => {
  const entries = [
    entry('Post.jsonl', post),
    entry('Empty.jsonl', post),
    entry('Cut.jsonl', post),
    entry('Post_all.json', { form: 'schema', classes: {} }),
    entry('desktop.ini', { form: 'nothing' }),
    entry('secret.jsonl', { form: 'unknown', reason: notice('passwordProtected') }),
  ]
  const contents = contentsOf(
    surveyed(entries),
    new Map([
      [0, taken],
      [1, { ...taken, records: 0, lines: 0 }],
      [2, { ...taken, isComplete: false }],
    ]),
  )
  expect(inEnglish(contentsNotice(contents))).toBe(
    'a.zip: of 6 files in the archive, 1 had records, 2 could not be read whole (Cut.jsonl, secret.jsonl), ' +
      '1 had nothing to import (desktop.ini), 1 had no records, 1 had schemas; 6 records, 6 lines, 3 headers and 270 bytes were read',
  )
})

it('uses the singular for counts of one', () => {
  const one = { ...taken, bytes: 1, lines: 1, records: 1, headers: 1 }
  expect(inEnglish(contentsNotice(contentsOf(surveyed([entry('Post.jsonl', post)]), new Map([[0, one]]))))).toBe(
    'a.zip: of 1 file in the archive, 1 had records; 1 record, 1 line, 1 header and 1 byte were read',
  )
})

it('counts files outside of archives together', () => {
  const single = () => contentsOf(surveyed([{ ...entry('Post.jsonl', post), isPacked: false }]), new Map([[0, taken]]))
  expect(sumOfContents([single(), single()]).map((one) => inEnglish(contentsNotice(one)))).toEqual([
    'of 2 files, 2 had records; 6 records, 6 lines, 2 headers and 180 bytes were read',
  ])
})
