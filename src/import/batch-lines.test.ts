import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { textNotice } from '../notices/notice.ts'
import type { Batch, Item } from './batch.ts'
import { linesOf, partsOfLines } from './batch-lines.ts'

const head = {
  of: { kind: 'objects', className: 'Post' },
  file: 'Post.0.jsonl',
  from: { entry: 0, record: 0 },
  to: { entry: 0, record: 9 },
  onConflict: 'skip',
  dryRun: false,
} as const satisfies Omit<Batch, 'items'>

/** Returns the item as sent. Half of a surrogate pair cannot be encoded in UTF-8. */
const asSent = (item: Item): Item => JSON.parse(Buffer.from(JSON.stringify(item)).toString())

const anyNotice = fc.string().map(textNotice)

it('transfers records unchanged, whatever they contain', () => {
  const item = fc.record(
    {
      at: fc.nat(),
      text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '{"a":1}', '1 2', 'a\nb', '\r', ' ')),
      notes: fc.array(anyNotice, { maxLength: 2 }),
      reason: anyNotice,
    },
    { requiredKeys: ['at', 'text'] },
  )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 10 }), (items) => {
      const parts = partsOfLines(Buffer.from(linesOf({ ...head, items })), 10, JSON.parse)!
      expect(JSON.parse(parts.head)).toEqual(head)
      expect([...parts.items]).toEqual(items.map(asSent))
      expect(items.map((_, index) => parts.items.at(index))).toEqual(items.map(asSent))
    }),
    runs(300),
  )
})

it.each([
  ['', 'no head'],
  ['{}', 'a head without an end'],
  ['{}\n1 {}', 'a record without an end'],
  ['{}\nx {}\n', 'no number'],
  ['{}\n1{}\n', 'no space'],
  ['{}\n1234567890123456 {}\n', 'too long a number'],
  ['{}\n\n', 'an empty line'],
  ['{}\n1 {}\n2 {}\n3 {}\n', 'too many records'],
])('rejects %j, which is not a batch: %s', (text) => expect(partsOfLines(Buffer.from(text), 2, JSON.parse)).toBeNull())
