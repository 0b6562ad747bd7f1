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
    ['bytes', { bytes: 89 }, /Post\.jsonl: 89 bytes were read, but the archive lists 90/],
    ['a file that is empty', { bytes: 0, lines: 0, records: 0 }, /0 bytes were read/],
    ['a line', { lines: 4 }, /3 of 4 lines were read/],
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
    'a.zip: 6 files, 1 with records, 2 not completely read (Cut.jsonl, secret.jsonl), ' +
      '1 with nothing to import (desktop.ini), 1 without records, 1 schema; 6 records, 6 lines, 3 headers and 270 bytes read',
  )
})

it('uses the singular for counts of one', () => {
  const one = { ...taken, bytes: 1, lines: 1, records: 1, headers: 1 }
  expect(inEnglish(contentsNotice(contentsOf(surveyed([entry('Post.jsonl', post)]), new Map([[0, one]]))))).toBe(
    'a.zip: 1 file, 1 with records; 1 record, 1 line, 1 header and 1 byte read',
  )
})

it('counts files outside of archives together', () => {
  const single = () => contentsOf(surveyed([{ ...entry('Post.jsonl', post), isPacked: false }]), new Map([[0, taken]]))
  expect(sumOfContents([single(), single()]).map((one) => inEnglish(contentsNotice(one)))).toEqual([
    '2 files, 2 with records; 6 records, 6 lines, 2 headers and 180 bytes read',
  ])
})
