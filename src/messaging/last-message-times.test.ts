import { afterEach, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { findConversations } from './conversations/find-conversations.ts'
import { LastMessageTimes } from './last-message-times.ts'
import { conversationTable } from './records/conversation-class.ts'

const { messaging, database, conversation } = await makeMessaging()
const conversations = conversationTable(messaging)
const started: LastMessageTimes[] = []

function times(options: { interval?: number; database?: Pick<Executor, 'query'> } = {}): LastMessageTimes {
  const { interval = 3_600_000 } = options
  const made = new LastMessageTimes({
    database: options.database ?? database,
    conversations,
    log: messaging.log,
    interval,
  })
  started.push(made)
  return made
}

afterEach(async () => {
  for (const made of started.splice(0)) await made.stop()
})

const stored = async (id: string) => {
  const [row] = await database.query(
    sql`SELECT data->'lm'->>'iso' AS lm, updated_at FROM ${conversations} WHERE id = ${id}`,
  )
  return row!
}
const iso = (ts: number) => new Date(ts).toISOString()

it('writes last message times after a delay, so that queries can use them', async () => {
  const [one, two, silent] = [await conversation(['c']), await conversation(['c']), await conversation(['c'])]
  const { updated_at } = await stored(one)
  const lastTimes = times({ interval: 5 })
  const now = Date.now()
  lastTimes.note(one, now + 5)
  lastTimes.note(one, now + 1)
  lastTimes.note(two, now + 9)
  await vi.waitFor(async () => expect((await stored(two)).lm).toBe(iso(now + 9)), 10_000)
  expect(await stored(one)).toEqual({ lm: iso(now + 5), updated_at })
  expect((await stored(silent)).lm).toBeNull()
  const where = { m: 'c', lm: { $gt: { __type: 'Date', iso: iso(now) } } }
  const found = await findConversations(messaging, { clientId: 'x' }, { where, sort: '-lm' })
  expect(found.map(({ objectId }) => objectId)).toEqual([two, one])
})

it('never moves a time backwards, whichever node writes it', async () => {
  const id = await conversation(['c'])
  const [here, there] = [times(), times()]
  here.note(id, 2_000_000_000_000)
  there.note(id, 1_900_000_000_000)
  await here.flush()
  await there.flush()
  expect((await stored(id)).lm).toBe(iso(2_000_000_000_000))
})

it('writes the remaining times when it stops', async () => {
  const id = await conversation(['c'])
  const lastTimes = times()
  lastTimes.note(id, 1_900_000_000_000)
  await lastTimes.stop()
  expect((await stored(id)).lm).toBe(iso(1_900_000_000_000))
})

it('writes many conversations from several nodes at once, and ignores unknown and temporary ones', async () => {
  await database.query(sql`
    INSERT INTO ${conversations} (id, created_at, updated_at, data)
    SELECT 'many' || n, now(), now(), '{}' FROM generate_series(1, 1200) AS n`)
  const nodes = [times(), times()]
  for (let n = 1; n <= 1200; n++) {
    nodes[0]!.note(`many${n}`, 1_900_000_000_000)
    nodes[1]!.note(`many${1201 - n}`, 1_900_000_000_001)
  }
  nodes[0]!.note('unknown', 1)
  nodes[0]!.note('_tmp:x', 1)
  await Promise.all(nodes.map((node) => node.flush()))
  const rows = await database.query(sql`
    SELECT DISTINCT data->'lm'->>'iso' AS lm FROM ${conversations} WHERE id LIKE 'many%'`)
  expect(rows).toEqual([{ lm: iso(1_900_000_000_001) }])
})

it('retries times that could not be written', async () => {
  const id = await conversation(['c'])
  let away = true
  const lastTimes = times({
    database: {
      query: (statement) => (away ? Promise.reject(new Error('the database is away')) : database.query(statement)),
    },
  })
  lastTimes.note(id, 1_900_000_000_000)
  await lastTimes.flush()
  lastTimes.note(id, 1_800_000_000_000)
  away = false
  await lastTimes.flush()
  expect((await stored(id)).lm).toBe(iso(1_900_000_000_000))
})

it('pauses after each statement as long as it took, unless it is stopped', async () => {
  const statements: number[] = []
  const pauses: number[] = []
  const made = new LastMessageTimes({
    database: {
      query: async () => {
        statements.push(pauses.length)
        return []
      },
    },
    conversations,
    log: messaging.log,
    interval: 3_600_000,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  for (let n = 0; n < 1200; n++) made.note(`conversation${n}`, n + 1)
  await made.flush()
  expect(statements).toEqual([0, 1, 2])
  expect(pauses.every((milliseconds) => milliseconds >= 0)).toBe(true)
  for (let n = 0; n < 1200; n++) made.note(`conversation${n}`, n + 2)
  await made.stop()
  expect(statements).toEqual([0, 1, 2, 2, 2, 2])
})
