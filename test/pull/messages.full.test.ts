import { describe, expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull
const cut = await makePull()
const COUNT = 1100
const first300 = (page: readonly object[]) => page.slice(0, 300)

describe('the history of conversations', { timeout: 180_000 }, () => {
  test('keeps ids, times and senders, is readable, and continues', async () => {
    const master = (app: typeof source, method: string, path: string, body?: unknown, query?: Record<string, string>) =>
      app.request(method, path, { master: true, body, ...(query && { query }) })
    const made = await master(source, 'POST', '/1.2/rtm/conversations', { name: 'talk', m: ['ann', 'bob'] })
    const id: string = made.body.objectId
    const send = (app: typeof source, message: string) =>
      master(app, 'POST', `/1.2/rtm/conversations/${id}/messages`, { from_client: 'ann', message })
    await send(source, '{"_lctype":-2,"_lctext":"a picture"}')
    // Many at once, like messages of a year.
    await source.sql(
      `INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
      SELECT $1, 1600000000000 + n / 3, 'old' || n, $1, 'bob', 'message ' || n, n % 2 = 0, false, false
      FROM generate_series(1, ${COUNT}) AS n`,
      [id],
    )
    // A source can return fewer messages than requested.
    pull.proxy.misbehave((path) => (path.startsWith('/1.2/rtm/messages') ? first300 : undefined))
    expect((await pull.run()).code).toBe(0)
    const messages = async (app: typeof source) =>
      (await app.sql('SELECT thread, ts, id, conv_id, sender, content, bin, type, ip FROM "$messages" ORDER BY ts, id'))
        .rows
    expect(await messages(target)).toEqual(await messages(source))
    expect((await pull.report()).counts['messaging-messages']).toMatchObject({
      read: COUNT + 1,
      created: COUNT + 1,
      rejected: 0,
    })
    const unread = async () =>
      (await target.request('GET', '/1.2/rtm/clients/bob/unread-count', { query: { conv_id: id } })).body.count
    expect(await unread()).toBe(0)
    // New messages here follow those from the source.
    expect((await send(target, 'goes on')).status).toBe(200)
    expect(await unread()).toBe(1)
    const page = await master(target, 'GET', `/1.2/rtm/conversations/${id}/messages`, undefined, { limit: '2' })
    expect(page.body.map(({ data }: { data: string }) => data)).toEqual([
      'goes on',
      '{"_lctype":-2,"_lctext":"a picture"}',
    ])
    await send(source, 'the last over there')
    expect((await pull.run()).code).toBe(0)
    expect((await pull.report()).counts['messaging-messages']).toMatchObject({ created: COUNT + 2 })
    expect(await messages(target)).toHaveLength(COUNT + 3)
  })

  test('is reported incomplete when the source returns messages that cannot be paged past', async () => {
    const { source, target, proxy, run, report } = cut
    const made = await source.request('POST', '/1.2/rtm/conversations', { master: true, body: { name: 'cut', m: [] } })
    await source.sql(
      `INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
      SELECT $1, 1600000000000 + n, 'old' || n, $1, 'bob', 'message ' || n, false, false, false
      FROM generate_series(1, 50) AS n`,
      [made.body.objectId],
    )
    const first10 = (page: readonly object[]) => page.slice(0, 10)
    const without = (page: readonly object[]) => first10(page).map((message) => ({ ...message, 'msg-id': undefined }))
    proxy.misbehave((path) => {
      if (!path.startsWith('/1.2/rtm/messages')) return undefined
      return path.includes('msgid=old41') ? without : first10
    })
    const count = async () => Number((await target.sql('SELECT count(*) FROM "$messages"')).rows[0].count)
    expect((await run()).code).toBe(3)
    expect((await report()).notUnderstood).toEqual([expect.stringContaining('of 10 messages, none has a new time')])
    expect(await count()).toBe(10)
    // The pull resumes, and still reports the messages it could not read.
    proxy.misbehave((path) => (path.startsWith('/1.2/rtm/messages') ? first10 : undefined))
    expect((await run()).code).toBe(3)
    expect(await report()).toMatchObject({ notUnderstood: [], counts: { 'messaging-messages': { rejected: 10 } } })
    expect(await count()).toBe(50)
  })
})
