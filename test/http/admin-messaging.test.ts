import { describe, expect, it, onTestFinished } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'
import { devicesOf } from '../support/realtime.ts'

const app = await makeApp()

const rtm = (method: string, path: string, body?: object) =>
  app.request(method, `/1.2/rtm/${path}`, { master: true, ...(body && { body }) })

async function chat(members = ['ann', 'bob']): Promise<string> {
  return (await rtm('POST', 'conversations', { m: members })).body.objectId
}

describe('messages of a conversation', () => {
  it('are listed newest first, page by page, with their state', async () => {
    const id = await chat()
    const sent = []
    for (const message of ['one', 'two', 'three', 'four']) {
      const { body } = await rtm('POST', `conversations/${id}/messages`, { from_client: 'ann', message })
      sent.push({ id: body['msg-id'] as string, timestamp: body.timestamp as number })
    }
    const [first, second] = sent
    const place = `conversations/${id}/messages`
    const by = { from_client: 'ann' }
    await rtm('PUT', `${place}/${first!.id}/recall`, { ...by, timestamp: first!.timestamp })
    await rtm('PUT', `${place}/${second!.id}`, { ...by, timestamp: second!.timestamp, message: 'deux' })
    const newest = (await app.admin('GET', `/conversations/${id}/messages?limit=2`)).body.messages
    expect(newest).toMatchObject([
      { content: 'four', from: 'ann', editedAt: null },
      { content: 'three', recalled: false },
    ])
    const before = newest[1].timestamp
    expect(
      (await app.admin('GET', `/conversations/${id}/messages?limit=2&before=${before}`)).body.messages,
    ).toMatchObject([
      { content: 'deux', editedAt: expect.any(Number), recalled: false },
      { recalled: true, editedAt: null },
    ])
  })

  it('of a service conversation are the broadcasts; with a subscriber, its own messages', async () => {
    const { objectId: id } = (await rtm('POST', 'service-conversations', {})).body
    const message = { from_client: 'team' }
    await rtm('POST', `service-conversations/${id}/broadcasts`, { ...message, message: 'all' })
    await rtm('POST', `service-conversations/${id}/messages`, {
      ...message,
      message: 'you',
      to_clients: ['ann', 'bob'],
    })
    const shown = async (query: string) =>
      (await app.admin('GET', `/conversations/${id}/messages${query}`)).body.messages.map(
        ({ content, receivers }: { content: string; receivers: string[] }) => [content, receivers],
      )
    expect(await shown('')).toEqual([['all', []]])
    expect(await shown('?client=ann')).toEqual([
      ['you', ['ann', 'bob']],
      ['all', []],
    ])
  })

  it.each(['limit=0', 'limit=201', 'before=x', 'client=', 'other=1'])('are rejected for %s', async (query) => {
    const name = query.split('=')[0]!
    const { status, body } = await app.admin('GET', `/conversations/${await chat()}/messages?${query}`)
    expect(status).toBe(400)
    expect(body.error).toContain(name)
  })

  it('of an unknown conversation are not found', async () => {
    expect((await app.admin('GET', '/conversations/000000000000000000000000/messages')).body.code).toBe(4303)
  })
})

it('lists active silences with their ends', async () => {
  const id = await chat()
  await rtm('POST', `conversations/${id}/permanent-silenceds`, { client_ids: ['bob'] })
  await rtm('POST', `conversations/${id}/temporary-silenceds`, { client_id: 'ann', ttl: 3600 })
  await app.sql('INSERT INTO "$silences" (conv_id, client_id, until_ts) VALUES ($1, $2, $3)', [id, 'past', 1000])
  const { silences } = (await app.admin('GET', `/conversations/${id}/silences`)).body
  expect(silences).toEqual([
    { clientId: 'ann', until: expect.any(Number) },
    { clientId: 'bob', until: null },
  ])
  expect(silences[0].until).toBeGreaterThan(Date.now())
  expect((await app.admin('GET', `/conversations/${id}/silences?after=ann`)).body.silences).toHaveLength(1)
})

it('temporary conversations are listed page by page, found by member, and shown until they expire', async () => {
  const client = await devicesOf(app, onTestFinished)().logIn('tim')
  const ids: string[] = []
  for (const [n, ttl] of [300, 100, 200].entries())
    ids.push((await client.createTemporaryConversation({ members: [`friend ${n}`], expiresIn: ttl } as never)).id)
  const list = async (query: string) =>
    (await app.admin('GET', `/temporary-conversations${query}`)).body.conversations as {
      id: string
      expiresAt: number
    }[]
  const found = await list('?member=tim')
  expect(found).toHaveLength(3)
  const last = found[0]!
  const rest = await list(`?member=tim&afterTime=${last.expiresAt}&afterId=${encodeURIComponent(last.id)}&limit=5`)
  expect(rest.map(({ id }) => id)).toEqual(found.slice(1).map(({ id }) => id))
  expect(await list('?member=friend%201')).toMatchObject([{ id: ids[1] }])
  const one = `/temporary-conversations/${encodeURIComponent(ids[0]!)}`
  expect((await app.admin('GET', one)).body).toMatchObject({ creator: 'tim', members: ['friend 0', 'tim'] })
  await app.sql('UPDATE "$temporary" SET expires_ts = 1 WHERE id = $1', [ids[0]])
  expect((await app.admin('GET', one)).body.code).toBe(4303)
})

it('returns the online state of clients', async () => {
  const connection = await connect(app)
  await connection.open('here')
  const online = (ids: unknown) =>
    app.admin('GET', `/clients/online?ids=${encodeURIComponent(typeof ids === 'string' ? ids : JSON.stringify(ids))}`)
  expect((await online(['here', 'not here'])).body).toEqual({ online: ['here'] })
  for (const wrong of ['x', [], [''], [7], Array.from({ length: 101 }, (_, n) => `c${n}`)])
    expect((await online(wrong)).status).toBe(400)
})
