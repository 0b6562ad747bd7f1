import { afterAll, afterEach, expect, test } from 'vitest'
import { textNotice } from '../../../notices/notice.ts'
import type { Item } from '../../batch.ts'
import { type LineItems, linesOf, partsOfLines } from '../../batch-lines.ts'
import { ReadingThreads } from '../reading-threads.ts'
import { lastTimesOf } from './last-times.ts'
import { copyRows } from './messaging-rows.ts'
import { readMessages } from './read-messages.ts'

const warnings: unknown[] = []
const threads = new ReadingThreads({ log: { warn: (fields) => void warnings.push(fields) } })
afterAll(() => threads.stop())
// Without this check, a batch that a thread failed to read would be read without one, and the test would still pass.
afterEach(() => expect(warnings).toEqual([]))

const T = 1_600_000_000_000
const said = (n: number, more: object = {}) => ({
  'msg-id': `m${n}`,
  'conv-id': `c${n % 7}`,
  timestamp: T + n,
  from: 'bob',
  data: `text ${n} ${'x'.repeat(400)}`,
  ...more,
})

/** Messages of each kind whose lines specify their threads, enough for a thread to read them. */
const plain: object[] = [
  said(1, { data: 'a tab\t, lines\n\r\n, \\N, \\., "quotes", 汉字 🚀', from: 'o\\n\te' }),
  said(2, { mentions: ['a\\b', 'c"d', '{g}', 'NULL'], token: '' }),
  said(3, { data: '{"_lctype":-1,"_lctext":"hi"}', 'patched-at': T + 50, receipt: true }),
  said(4, { to: 'c4', 'to-clients': [] }),
  said(5, { thread: 'c5', 'from-ip': '203.0.113.7' }),
  said(6, { thread: 'c6:ann', bin: true, data: 'AAEC' }),
  said(7, { timestamp: 'never' }),
  ...Array.from({ length: 700 }, (_, n) => said(n + 10)),
]

function received(lines: readonly object[], more: readonly Item[] = []): LineItems {
  const position = { entry: 0, record: 0 }
  const of = { kind: 'messaging', className: 'messaging-messages' } as const
  const items = [...lines.map((line, index) => ({ at: index + 1, text: JSON.stringify(line) })), ...more]
  const text = linesOf({ of, file: '', from: position, to: position, onConflict: 'skip', dryRun: false, items })
  return partsOfLines(Buffer.from(text), 10_000, JSON.parse)!.items
}

test('reads the same with and without a thread', async () => {
  const others: Item[] = [
    { at: 900, text: 'not read', reason: textNotice('is too long') },
    { at: 901, text: '{' },
    { at: 902, text: JSON.stringify(said(1000, { data: 'with a note' })), notes: [textNotice('was shorter')] },
  ]
  const { complete, single } = await readMessages(threads, received(plain, others), true)
  const { read, refused } = await single()
  const threaded = read.map(({ value: { row, hasMarks } }) => ({ rows: [row], hasMarks }))
  expect(Buffer.from(complete!.packed.rows).toString()).toBe(
    copyRows(
      'messages',
      read.map(({ value }) => value.row),
    ),
  )
  expect(complete!.packed.count).toBe(plain.length)
  expect(complete!.packed.lastTimes).toEqual({ ...lastTimesOf(threaded) })
  expect(complete!.packed.lastTimes.all.get('c6')).toBeGreaterThan(0)
  const byPosition = (some: typeof refused) => some.toSorted((a, b) => a.item.at - b.item.at)
  expect(byPosition(complete!.refused)).toEqual(byPosition(refused))
  expect(refused).toHaveLength(3)
})

test.each([
  { why: 'somebody has to be asked where one of them belongs', line: said(1, { to: 'ann' }) },
  { why: 'one of them is for several', line: said(1, { 'to-clients': ['ann', 'bob'] }) },
  { why: 'one of them is there twice', line: said(10) },
])('reads messages one by one when $why', async ({ line }) => {
  const { complete, single } = await readMessages(threads, received([line, ...plain.slice(6)]), true)
  expect(complete).toBeNull()
  expect((await single()).read).toHaveLength(701)
})

test('reads messages one by one when one of them exists', async () => {
  const { complete, single } = await readMessages(threads, received(plain), false)
  expect(complete).toBeNull()
  expect((await single()).read).toHaveLength(plain.length - 1)
})
