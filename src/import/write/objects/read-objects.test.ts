import { afterAll, afterEach, expect, test } from 'vitest'
import { inEnglish } from '../../../notices/in-english.ts'
import { textNotice } from '../../../notices/notice.ts'
import type { Item } from '../../batch.ts'
import { type LineItems, linesOf, partsOfLines } from '../../batch-lines.ts'
import { ReadingThreads } from '../reading-threads.ts'
import { readObjects } from './read-objects.ts'

const warnings: unknown[] = []
const log = { warn: (fields: object) => void warnings.push(fields) }
const threads = new ReadingThreads({ log })
afterAll(() => threads.stop())
// Without this check, a batch that a thread failed to read would be read without one, and the test would still pass.
afterEach(() => expect(warnings).toEqual([]))

const ID = '5f0000000000000000000001'
const AT = { createdAt: '2020-01-02T03:04:05.678Z', updatedAt: '2021-01-02T03:04:05.678Z' }

/** Returns records of each kind; the last ones make the batch large enough for a thread. */
function items(filling: number): Item[] {
  const lines: object[] = [
    { objectId: ID, ...AT, title: 'plain', n: 1 },
    { objectId: 'a', ...AT, title: 'lines\nof\ttext \u2028 汉字 🚀 \\ "quoted\\\\', n: 2 },
    { objectId: 'b', ...AT, ACL: { '*': { read: true }, [ID]: { write: true } }, title: 'of somebody' },
    { objectId: 'c', ...AT, ACL: {}, title: 'of nobody' },
    { objectId: 'd', ...AT, title: 'without', __type: 'Object', $odd: 1 },
    { ...AT, title: 'without id' },
    { objectId: 'e', createdAt: 'never' },
    {
      objectId: 'f',
      ...AT,
      at: { __type: 'Date', iso: '2020-01-01' },
      of: { __type: 'Pointer', className: 'A', objectId: 'x' },
    },
    {
      objectId: 'g',
      ...AT,
      username: 'ann',
      salt: 's',
      password: 'cGFzc3dvcmQ=',
      authData: { weixin: { openid: 'o' } },
    },
    ...Array.from({ length: filling }, (_, n) => ({ objectId: `filling${n}`, ...AT, title: 'x'.repeat(500), n })),
  ]
  const texts = [...lines.map((line) => JSON.stringify(line)), '{', '[]', '{"n":12345678901234567890}']
  return [
    ...texts.map((text, index): Item => ({ at: index + 1, text })),
    { at: 900, text: 'not read', reason: textNotice('is too long') },
  ]
}

/** Returns the same records as received by the server. */
function received(filling: number): LineItems {
  const position = { entry: 0, record: 0 }
  const head = { of: { kind: 'objects', className: 'Post' }, file: '', from: position, to: position } as const
  const lines = linesOf({ ...head, onConflict: 'skip', dryRun: false, items: items(filling) })
  return partsOfLines(Buffer.from(lines), 10_000, JSON.parse)!.items
}

test.each(['Post', '_User'])('reads %s the same with and without a thread', async (className) => {
  const max = await readObjects(threads, { className }, received(600))
  const few = await readObjects(threads, { className }, items(0))
  const comparable = ({ packed, given, refused, notes }: typeof few) => ({
    first: Buffer.from(packed.rows).toString().split('\n')[0],
    notes: notes().map(({ item, note }) => [item.text, note]),
    read: given()
      .filter(({ object }) => !object.id.startsWith('filling'))
      .map(({ item, object }) => {
        const { id, hasId, data, createdAt, updatedAt, acl, types, credentials, identities, notes } = object
        const told = { data, createdAt, updatedAt, acl, types, credentials, identities, notes }
        // Records without an id get a new one, and records without times get the current time.
        return {
          text: item.text,
          id: hasId ? id : null,
          ...told,
          ...(data.includes('12345') && { createdAt: 0, updatedAt: 0 }),
        }
      }),
    refused: refused.map(({ item, reason }) => [item.text, inEnglish(reason)]).sort(),
  })
  expect(comparable(max)).toEqual(comparable(few))
  expect(max.given()).toHaveLength(few.given().length + 600)
  expect(few.refused.length).toBeGreaterThan(2)
  expect(few.notes().length).toBeGreaterThan(1)
})

test('detects repeated ids, and keeps notes and reasons of records', async () => {
  const position = { entry: 0, record: 0 }
  const head = { of: { kind: 'objects', className: 'Post' }, file: '', from: position, to: position } as const
  const some = [
    { at: 1, text: '{"objectId":"x"}' },
    { at: 2, text: '{"objectId":"y"}', notes: [textNotice('was shorter')] },
    { at: 3, text: '?', reason: textNotice('is no text') },
    ...Array.from({ length: 600 }, (_, n) => ({ at: n + 4, text: `{"objectId":"z${n}","t":"${'x'.repeat(500)}"}` })),
  ]
  const bytes = (items: readonly Item[]) => Buffer.from(linesOf({ ...head, onConflict: 'skip', dryRun: false, items }))
  const once = await readObjects(threads, { className: 'Post' }, partsOfLines(bytes(some), 10_000, JSON.parse)!.items)
  expect(once.packed.hasRepeated).toBe(false)
  expect(once.notes()).toEqual([{ item: some[1], note: textNotice('was shorter') }])
  expect(once.refused).toEqual([{ item: some[2], reason: textNotice('is no text') }])
  const twice = await readObjects(
    threads,
    { className: 'Post' },
    partsOfLines(bytes([...some, some[0]!]), 10_000, JSON.parse)!.items,
  )
  expect(twice.packed.hasRepeated).toBe(true)
})

test('shares the types of objects with the same fields', async () => {
  const { packed } = await readObjects(threads, { className: 'Post' }, received(600))
  expect(packed.types.length).toBeLessThan(9)
})

test('still reads the records of a thread that ended while reading', async () => {
  const ending = new ReadingThreads({ log })
  const reading = readObjects(ending, { className: 'Post' }, received(600))
  await ending.stop()
  expect((await reading).given().length).toBeGreaterThan(600)
  expect((await readObjects(ending, { className: 'Post' }, received(600))).given().length).toBeGreaterThan(600)
})
