import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { type HistoryQuery, type Position, readHistory } from './history.ts'

const { messaging, database } = await makeMessaging()
const { messages } = messaging.tables

interface Stored {
  readonly thread: string
  readonly ts: number
  readonly id: string
  readonly sender?: string
  readonly type?: number
}

async function fill(rows: readonly Stored[]): Promise<void> {
  for (const { thread, ts, id, sender = 'ann', type = null } of rows) {
    await database.query(sql`
      INSERT INTO ${messages} (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, type)
      VALUES (${thread}, ${ts}, ${id}, ${thread.split(':')[0]!}, ${sender}, ${id}, FALSE, FALSE, FALSE, ${type})`)
  }
}

const at = (ts: number, id: string | null = null, included = false): Position => ({ ts, id, included })

async function ids(query: Partial<HistoryQuery>): Promise<string> {
  const defaults = { source: { threads: ['talk'] }, from: null, to: null, ascending: false, limit: 100, type: null }
  const page = await readHistory(messaging, { ...defaults, ...query })
  return page.map(({ id }) => id).join('')
}

// b, c and d have the same time.
await fill([
  { thread: 'talk', ts: 10, id: 'a', type: -1 },
  { thread: 'talk', ts: 20, id: 'b', sender: 'bob' },
  { thread: 'talk', ts: 20, id: 'c', type: 7 },
  { thread: 'talk', ts: 20, id: 'd' },
  { thread: 'talk', ts: 30, id: 'e', type: 7 },
  { thread: 'other', ts: 25, id: 'x', sender: 'bob' },
  { thread: 'news', ts: 11, id: 'n', sender: 'app' },
  { thread: 'news:ann', ts: 12, id: 'o', sender: 'app' },
  { thread: 'news:bob', ts: 12, id: 'o', sender: 'app' },
  { thread: 'news', ts: 13, id: 'p', sender: 'app' },
])

it.each<[rule: string, Partial<HistoryQuery>, expected: string]>([
  ['from new to old', {}, 'edcba'],
  ['from old to new', { ascending: true }, 'abcde'],
  ['a page from the new end', { limit: 2 }, 'ed'],
  ['a page from the old end', { limit: 2, ascending: true }, 'ab'],
  ['nothing', { limit: 0 }, ''],
  ['before a message, those of its own time too', { from: at(20, 'd') }, 'cba'],
  ['before a message and itself', { from: at(20, 'd', true) }, 'dcba'],
  ['before a time', { from: at(20) }, 'a'],
  ['before a time and at it', { from: at(20, null, true) }, 'dcba'],
  ['after a message', { from: at(20, 'b'), ascending: true }, 'cde'],
  ['after a message and itself', { from: at(20, 'b', true), ascending: true }, 'bcde'],
  ['after a time', { from: at(20), ascending: true }, 'e'],
  ['down to a message', { to: at(20, 'b') }, 'edc'],
  ['down to a message and itself', { to: at(20, 'b', true) }, 'edcb'],
  ['up to a message', { to: at(20, 'c'), ascending: true }, 'ab'],
  ['up to a time and at it', { to: at(20, null, true), ascending: true }, 'abcd'],
  ['between two', { from: at(30, 'e'), to: at(10, 'a') }, 'dcb'],
  ['an empty range', { from: at(1) }, ''],
  ['an end before the beginning', { from: at(10), to: at(30) }, ''],
  ['those of one type', { type: 7 }, 'ec'],
  ['texts', { type: -1 }, 'a'],
  ['those of a type that no message has', { type: 1000 }, ''],
])('history: %s', async (_, query, expected) => {
  expect(await ids(query)).toBe(expected)
})

it('returns every message once when each page begins after the last message of the previous one', async () => {
  for (const ascending of [false, true]) {
    let all = ''
    let from: Position | null = null
    for (;;) {
      const query = { source: { threads: ['talk'] }, from, to: null, ascending, limit: 2, type: null }
      const page = await readHistory(messaging, query)
      if (page.length === 0) break
      all += page.map(({ id }) => id).join('')
      from = at(page.at(-1)!.ts, page.at(-1)!.id)
    }
    expect(all).toBe(ascending ? 'abcde' : 'edcba')
  }
})

it('merges several threads into one history', async () => {
  const source = { threads: ['news', 'news:ann'] }
  expect(await ids({ source })).toBe('pon')
  expect(await ids({ source, ascending: true, limit: 2 })).toBe('no')
  expect(await ids({ source, from: at(13, 'p'), limit: 1 })).toBe('o')
})

it('reads the history of a sender in all conversations, and the history of all messages', async () => {
  expect(await ids({ source: { sender: 'bob' } })).toBe('xb')
  expect(await ids({ source: { everything: true } })).toBe('exdcbpona')
})

it('returns a message to several subscribers once in histories without threads', async () => {
  expect(await ids({ source: { sender: 'app' } })).toBe('pon')
  expect(await ids({ source: { everything: true }, ascending: true, limit: 4 })).toBe('anop')
})

it('returns a message as it was stored', async () => {
  await database.query(sql`
    INSERT INTO ${messages} (thread, ts, id, conv_id, sender, content, bin, mention_all, mentions, receipt, ip,
      patched_at, recalled)
    VALUES ('full', 1, 'i', 'full', 's', 'AA==', TRUE, TRUE, ${['a', 'b,"']}, TRUE, '::1', 5, TRUE)`)
  const query = { source: { threads: ['full'] }, from: null, to: null, ascending: false, limit: 1, type: null }
  expect(await readHistory(messaging, query)).toEqual([
    {
      id: 'i',
      convId: 'full',
      ts: 1,
      sender: 's',
      content: 'AA==',
      bin: true,
      mentionAll: true,
      mentions: ['a', 'b,"'],
      receipt: true,
      patchedAt: 5,
      recalled: true,
      ip: '::1',
    },
  ])
})
