import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const T = 1_600_000_000_000
const [CHAT, NEWS] = ['5541c02ce4b0f83f4d44414e', '5541c02ce4b0f83f4d44414f']

function item(n: number, more: object = {}): { [name: string]: unknown } {
  const said = { 'msg-id': `m${n}`, 'conv-id': CHAT, timestamp: T + n, from: 'bob', to: CHAT, data: `text ${n}` }
  return { ...said, bin: false, 'is-conv': true, 'is-room': false, 'from-ip': '203.0.113.7', ...more }
}

const lines = (items: readonly object[]) => items.map((one) => `${JSON.stringify(one)}\n`).join('')
const stored = async () =>
  (await target.app.sql('SELECT thread, id, content, type, recalled FROM "$messages" ORDER BY ts, thread')).rows
const countsOf = async () => (await target.report()).counts['messaging-messages']
const get = async (path: string, query: Record<string, string> = {}) =>
  (await target.app.request('GET', path, { master: true, query })).body

beforeAll(async () => {
  const at = { createdAt: '2020-09-01T00:00:00.000Z', updatedAt: '2020-09-01T00:00:00.000Z' }
  const conversations = [
    { objectId: CHAT, m: ['ann', 'bob'], c: 'ann', ...at },
    { objectId: NEWS, sys: true, name: 'news', ...at },
  ]
  await target.file('_Conversation.0.jsonl', exportFile('_Conversation', conversations))
})

describe('exported message histories', { timeout: 180_000 }, () => {
  test('in lines or as a list are imported after the conversations and can be read; of two with one id the first stays', async () => {
    await target.file('a-list.json', JSON.stringify([item(1), item(2, { data: '{"_lctype":-127}' })], null, 2))
    await target.file('b-lines.jsonl', lines([item(3), item(4, { bin: true, data: 'AAEC' }), item(4)]))
    expect((await target.run(target.folder)).code).toBe(0)
    expect(await stored()).toEqual([
      { thread: CHAT, id: 'm1', content: 'text 1', type: null, recalled: false },
      { thread: CHAT, id: 'm2', content: '{"_lctype":-127}', type: -127, recalled: true },
      { thread: CHAT, id: 'm3', content: 'text 3', type: null, recalled: false },
      { thread: CHAT, id: 'm4', content: 'AAEC', type: null, recalled: false },
    ])
    expect(await countsOf()).toMatchObject({ read: 5, created: 4, existing: 1, rejected: 0 })
    expect((await get('/1.2/rtm/clients/ann/unread-count', { conv_id: CHAT })).count).toBe(0)
    // Marks his own messages as read, so they do not affect the test.
    await target.app.sql(`UPDATE "$reads" SET has_read = TRUE WHERE client_id = 'bob'`)
    const [conversation] = (await get('/1.2/rtm/conversations', { where: JSON.stringify({ objectId: CHAT }) })).results
    expect(conversation.lm).toEqual({ __type: 'Date', iso: new Date(T + 4).toISOString() })
  })

  test('of older formats name the conversation in another member', async () => {
    const digest = createHash('md5').update(`${NEWS}:ann`).digest('hex')
    const items = [
      item(11, { 'conv-id': `${CHAT}00000000`, 'ack-at': T + 12 }),
      item(12, { 'conv-id': '219946ef32e40c515d33ae6975a5c593' }),
      item(13, { 'conv-id': digest, from: 'ann', to: NEWS }),
      item(14, { 'conv-id': digest, from: 'editor', to: 'ann' }),
    ]
    expect((await target.run(await target.file('older/logs.jsonl', lines(items)))).code).toBe(0)
    expect((await stored()).filter(({ id }) => /^m1\d$/.test(id)).map(({ thread, id }) => [id, thread])).toEqual([
      ['m11', CHAT],
      ['m12', CHAT],
      ['m13', `${NEWS}:ann`],
      ['m14', `${NEWS}:ann`],
    ])
    const { rows } = await target.app.sql('SELECT client_id, read_ts FROM "$reads" ORDER BY client_id')
    expect(rows).toEqual([
      { client_id: 'ann', read_ts: String(T + 12) },
      { client_id: 'bob', read_ts: String(T + 4) },
    ])
  })

  test('keep messages for one subscriber from the others', async () => {
    const items = [
      item(21, { 'conv-id': NEWS, to: NEWS, from: 'editor' }),
      item(22, { 'conv-id': NEWS, to: 'ann', from: 'editor' }),
      item(23, { 'conv-id': NEWS, to: 'ann', 'to-clients': ['ann', 'bob'], from: 'editor' }),
      item(24, { 'conv-id': 'unknown', to: 'ann', from: 'editor' }),
    ]
    expect((await target.run(await target.file('system/history.jsonl', lines(items)))).code).toBe(3)
    expect(await countsOf()).toMatchObject({ read: 4, created: 3, existing: 0, rejected: 1 })
    expect((await target.rejected()).map(({ place, reason }) => [place, reason])).toEqual([
      ['history.jsonl:4', expect.stringContaining("'conv-id'")],
    ])
    const historyOf = async (client: string) =>
      (await get(`/1.2/rtm/service-conversations/${NEWS}/subscribers/${client}/messages`)).map(
        (one: { 'msg-id': string }) => one['msg-id'],
      )
    expect(await historyOf('ann')).toEqual(['m23', 'm22', 'm21', 'm14', 'm13'])
    expect(await historyOf('bob')).toEqual(['m23', 'm21'])
    const shown = (await get('/1.2/rtm/messages', { limit: '3' })) as { [name: string]: unknown }[]
    expect(shown.map((one) => [one['msg-id'], one.to, one['to-clients']])).toEqual([
      ['m23', 'ann', ['ann', 'bob']],
      ['m22', 'ann', undefined],
      ['m21', NEWS, undefined],
    ])
  })

  test('keep all characters', async () => {
    const data = 'a tab\t, lines\n\r\n, \\N, \\., "quotes", 汉字 🚀'
    const mentions = ['a\\b', 'c"d', 'e,f', '{g}', 'NULL']
    const path = await target.file('odd/odd.jsonl', lines([item(26, { data, from: 'o\\n\te', mentions })]))
    expect((await target.run(path)).code).toBe(0)
    const { rows } = await target.app.sql(`SELECT sender, content, mentions, token FROM "$messages" WHERE id = 'm26'`)
    expect(rows).toEqual([{ sender: 'o\\n\te', content: data, mentions, token: null }])
  })

  test('replace existing messages on request', async () => {
    await target.run(await target.file('one/a.jsonl', lines([item(31), item(32, { 'patched-at': T + 40 })])))
    const changed = lines([item(31, { data: 'changed' }), item(32, { data: 'changed', 'patched-at': T + 39 })])
    const path = await target.file('two/b.jsonl', changed)
    const contents = async () => (await stored()).filter(({ id }) => /^m3\d$/.test(id)).map(({ content }) => content)
    expect((await target.run(path)).code).toBe(0)
    expect(await contents()).toEqual(['text 31', 'text 32'])
    expect((await target.run('--on-conflict', 'newer', path)).code).toBe(0)
    expect(await contents()).toEqual(['changed', 'text 32'])
    expect((await target.run('--on-conflict', 'overwrite', path)).code).toBe(0)
    expect(await contents()).toEqual(['changed', 'changed'])
    expect(await countsOf()).toMatchObject({ read: 2, created: 0, updated: 1, existing: 1 })
  })

  test('import rejected records once corrected', async () => {
    const far = Date.now() + 3 * 24 * 60 * 60_000
    const bad = [item(41, { timestamp: far }), item(42, { from: '' }), item(43, { thread: `${NEWS}:ann` })]
    expect((await target.run(await target.file('bad/c.jsonl', lines(bad)))).code).toBe(3)
    const rejected = await target.rejected()
    expect(rejected.map(({ className, reason }) => [className, /'[\w-]+'/.exec(reason)?.[0]])).toEqual([
      ['messaging-messages', "'timestamp'"],
      ['messaging-messages', "'from'"],
      ['messaging-messages', "'thread'"],
    ])
    const corrected = rejected.map((line, index) => ({ ...line, object: item(41 + index) }))
    const file = `#filetype:JSON-streaming {"type":"Rejected"}\n${lines(corrected)}`
    expect((await target.run(await target.file('bad/rejected.jsonl', file))).code).toBe(0)
    expect(await countsOf()).toMatchObject({ read: 3, created: 3 })
  })
})
