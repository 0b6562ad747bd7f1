import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { readHistory } from '../messages/history.ts'
import { historyQueryOf } from './history-parameters.ts'

const { messaging, database } = await makeMessaging()
const { messages } = messaging.tables
const source = { threads: ['talk'] }

await database.query(sql`
  INSERT INTO ${messages} (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
  SELECT 'talk', 1000 * number, 'id' || number, 'talk', 'ann', '', FALSE, FALSE, FALSE
  FROM generate_series(1, 3) AS number`)

async function ids(parameters: Parameters): Promise<string[]> {
  return (await readHistory(messaging, historyQueryOf(parameters, source))).map(({ id }) => id)
}

// The table of protocol/messaging, History query.
it.each([
  ['3', '1', 'false', 'false', 'false', ['id2']],
  ['3', '1', 'true', 'false', 'false', ['id3', 'id2']],
  ['3', '1', 'false', 'true', 'false', ['id2', 'id1']],
  ['1', '3', 'false', 'false', 'true', ['id2']],
  ['1', '3', 'true', 'false', 'true', ['id1', 'id2']],
  ['1', '3', 'false', 'true', 'true', ['id2', 'id3']],
])(
  'from %s to %s, with the start %s, with the end %s, reversed %s',
  async (start, end, first, last, reversed, expected) => {
    const parameters = {
      msgid: `id${start}`,
      timestamp: `${start}000`,
      till_msgid: `id${end}`,
      till_timestamp: `${end}000`,
      include_start: first,
      include_stop: last,
      reversed,
    }
    expect(await ids(parameters)).toEqual(expected)
  },
)

it.each<[rule: string, Parameters, expected: string[]]>([
  ['returns the newest messages first', {}, ['id3', 'id2', 'id1']],
  ['returns the oldest messages first when reversed', { reversed: true }, ['id1', 'id2', 'id3']],
  ['returns messages before a time', { timestamp: '2000' }, ['id1']],
  ['returns messages up to and at a time', { timestamp: 2000, include_start: true }, ['id2', 'id1']],
  ['returns messages after a time when reversed', { timestamp: '2000', reversed: '1' }, ['id3']],
  ['returns messages that are later than till_timestamp', { till_timestamp: '2000' }, ['id3']],
  ['returns no messages before 0', { timestamp: '0' }, []],
  ['ignores empty parameters', { msgid: '', timestamp: '', limit: '' }, ['id3', 'id2', 'id1']],
  ['returns at most limit messages', { limit: '2' }, ['id3', 'id2']],
])('%s', async (_, parameters, expected) => {
  expect(await ids(parameters)).toEqual(expected)
})

it.each([
  [undefined, 100],
  ['1', 1],
  ['1000', 1000],
  ['1001', 1000],
  ['0', 100],
  ['-5', 100],
  ['many', 100],
])('turns a limit of %s into %s', (limit, expected) => {
  expect(historyQueryOf({ limit }, source).limit).toBe(expected)
})

it('requires the time of a named message', () => {
  const refused = (error: string) => expect.objectContaining({ code: 1, message: expect.stringContaining(error) })
  expect(() => historyQueryOf({ msgid: 'id1' }, source)).toThrow(refused("'timestamp'"))
  expect(() => historyQueryOf({ till_msgid: 'id1' }, source)).toThrow(refused("'till_timestamp'"))
})

it.each(['yesterday', '-1', '1.5', '1e300', 'NaN'])('rejects %s as a time', (timestamp) => {
  expect(() => historyQueryOf({ timestamp }, source)).toThrow("'timestamp' must be a time in milliseconds")
})
