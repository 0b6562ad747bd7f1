import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'
import { makePeople, writeFollows } from '../support/social.ts'

/**
 * PostgreSQL stores neither NUL characters nor lone surrogates: each is replaced by U+FFFD (protocol/storage, Texts). The tables
 * cover every input for text.
 */
const app = await makeApp()
const [ann, bo] = await makePeople(app, 'ann', 'bo')
await writeFollows(app, ann.id, [bo.id])

const CHARACTERS: readonly (readonly [what: string, character: string])[] = [
  ['a NUL', '\u0000'],
  ['the first half of a surrogate pair', '\ud83c'],
  ['the second half of a surrogate pair', '\udf89'],
]

const send = async (method: string, path: string, body?: unknown, options: object = {}) => {
  const answer = await app.request(method, path, { master: true, ...(body !== undefined && { body }), ...options })
  expect([answer.status < 300, answer.body], `${method} ${path}`).toEqual([true, expect.anything()])
  return answer.body
}
const get = (path: string, query: Record<string, string> = {}) => send('GET', path, undefined, { query })
const where = (condition: object) => ({ where: JSON.stringify(condition) })

/** Makes the texts of each row unique. */
let count = 0
const saved = async (className: string, body: object): Promise<string> =>
  (await send('POST', `/1.1/classes/${className}`, body)).objectId

type SaveAndRead = (text: string) => Promise<unknown>

/** Inputs that save a text and read it back. */
const INPUTS: readonly (readonly [place: string, saveAndRead: SaveAndRead])[] = [
  ['a field of a new object', async (text) => (await get(`/1.1/classes/Post/${await saved('Post', { text })}`)).text],
  [
    'an answer with the new object',
    async (text) => (await send('POST', '/1.1/classes/Post?fetchWhenSave=true', { text })).text,
  ],
  [
    'a field that is updated',
    async (text) => {
      const id = await saved('Post', { text: 'before' })
      await send('PUT', `/1.1/classes/Post/${id}`, { text })
      return (await get(`/1.1/classes/Post/${id}`)).text
    },
  ],
  [
    'a member of an object',
    async (text) => (await get(`/1.1/classes/Post/${await saved('Post', { o: { a: [{ b: text }] } })}`)).o.a[0].b,
  ],
  [
    'a key of an object',
    async (text) => Object.keys((await get(`/1.1/classes/Post/${await saved('Post', { o: { [text]: 1 } })}`)).o)[0],
  ],
  [
    'a dotted key',
    async (text) => {
      const id = await saved('Post', { o: {} })
      await send('PUT', `/1.1/classes/Post/${id}`, { [`o.${text}`]: 1 })
      return Object.keys((await get(`/1.1/classes/Post/${id}`)).o)[0]
    },
  ],
  ['an array', async (text) => (await get(`/1.1/classes/Post/${await saved('Post', { a: [text] })}`)).a[0]],
  ...['Add', 'AddUnique'].map((operation): readonly [string, SaveAndRead] => [
    `the operation ${operation}`,
    async (text) => {
      const id = await saved('Post', { a: ['first'] })
      await send('PUT', `/1.1/classes/Post/${id}`, { a: { __op: operation, objects: [text] } })
      return (await get(`/1.1/classes/Post/${id}`)).a[1]
    },
  ]),
  [
    'the operation Remove',
    async (text) => {
      const id = await saved('Post', { a: [text, 'rest'] })
      await send('PUT', `/1.1/classes/Post/${id}`, { a: { __op: 'Remove', objects: [text] } })
      expect((await get(`/1.1/classes/Post/${id}`)).a).toEqual(['rest'])
      return stored(text)
    },
  ],
  [
    'a batch',
    async (text) => {
      const [{ success }] = await send('POST', '/1.1/batch', {
        requests: [{ method: 'POST', path: '/1.1/classes/Post', body: { text } }],
      })
      return (await get(`/1.1/classes/Post/${success.objectId}`)).text
    },
  ],
  [
    'a graph of objects',
    async (text) => {
      const requests = [{ method: 'POST', path: '/1.1/classes/Post', body: { __internalId: 'a', text } }]
      const answer = await send('POST', '/1.1/batch/save', { requests })
      const [id] = Object.values(answer).map((one) => (one as { objectId: string }).objectId)
      return id === undefined ? stored(text) : (await get(`/1.1/classes/Post/${id}`)).text
    },
  ],
  [
    'a tunnelled request',
    async (text) => {
      const body = { text, _ApplicationId: app.appId, _ApplicationKey: app.appKey, _method: 'POST' }
      const { objectId } = await send('POST', '/1.1/classes/Post', body, { headers: { 'content-type': 'text/plain' } })
      return (await get(`/1.1/classes/Post/${objectId}`)).text
    },
  ],
  [
    'CQL that inserts',
    async (text) => {
      const cql = { cql: 'insert into Post(text) values(?)', pvalues: JSON.stringify([text]) }
      const { results } = await get('/1.1/cloudQuery', cql)
      return (await get(`/1.1/classes/Post/${results[0].objectId}`)).text
    },
  ],
  [
    'a text in CQL',
    async (text) => {
      const { results } = await send(
        'POST',
        '/1.1/cloudQuery',
        {
          _method: 'GET',
          cql: `insert into Post(text) values('${text}')`,
        },
        { headers: { 'content-type': 'text/plain' } },
      )
      return (await get(`/1.1/classes/Post/${results[0].objectId}`)).text
    },
  ],
  [
    'a user name, by which the user logs in',
    async (text) => {
      const { objectId } = await send('POST', '/1.1/users', { username: text, password: 'p' })
      expect((await send('POST', '/1.1/login', { username: text, password: 'p' })).objectId).toBe(objectId)
      return (await get(`/1.1/users/${objectId}`)).username
    },
  ],
  [
    'a user name that is changed',
    async (text) => {
      const { objectId } = await send('POST', '/1.1/users', { username: `before ${text}`, password: 'p' })
      await send('PUT', `/1.1/users/${objectId}`, { username: text })
      return (await get(`/1.1/users/${objectId}`)).username
    },
  ],
  [
    'a password',
    async (text) => {
      const username = `with password ${text}`
      const { objectId, sessionToken } = await send('POST', '/1.1/users', { username, password: text })
      expect((await send('POST', '/1.1/login', { username, password: text })).objectId).toBe(objectId)
      await send(
        'PUT',
        `/1.1/users/${objectId}/updatePassword`,
        { old_password: text, new_password: `${text}!` },
        { session: sessionToken, master: false },
      )
      expect((await send('POST', '/1.1/login', { username, password: `${text}!` })).objectId).toBe(objectId)
      return stored(text)
    },
  ],
  [
    'a field of a user',
    async (text) => {
      const { objectId } = await send('POST', '/1.1/users', { username: `nick ${text}`, password: 'p', nick: text })
      return (await get(`/1.1/users/${objectId}`)).nick
    },
  ],
  [
    'data of a platform',
    async (text) => {
      const authData = { github: { uid: `u${count++}`, name: text, [text]: 1 } }
      const { objectId } = await send('POST', '/1.1/users', { authData })
      const shown = (await get(`/1.1/users/${objectId}`)).authData.github
      expect(shown[stored(text)]).toBe(1)
      return shown.name
    },
  ],
  [
    'an installation',
    async (text) => {
      const body = { deviceType: 'android', installationId: `i${count++}`, timeZone: text, nick: text }
      const { objectId } = await send('POST', '/1.1/installations', body)
      const { timeZone, nick } = await get(`/1.1/installations/${objectId}`)
      expect(nick).toBe(timeZone)
      return nick
    },
  ],
  [
    'a role',
    async (text) => {
      const { objectId } = await send('POST', '/1.1/roles', { name: `role_${count++}`, ACL: {}, about: text })
      return (await get(`/1.1/roles/${objectId}`)).about
    },
  ],
  [
    'a status',
    async (text) => {
      const query = { className: '_Follower', where: { user: ann.pointer }, keys: 'follower' }
      await send('POST', '/1.1/statuses', { query, data: { text } }, { session: ann.session, master: false })
      const { results } = await send('GET', '/1.1/subscribe/statuses', undefined, {
        session: bo.session,
        master: false,
      })
      return results[0].text
    },
  ],
  [
    'the condition of a status',
    async (text) => {
      const query = { className: '_Follower', where: { user: ann.pointer, group: text }, keys: 'follower' }
      await send('POST', '/1.1/statuses', { query, data: { text } }, { session: ann.session, master: false })
      return stored(text)
    },
  ],
  [
    'attributes of a friendship',
    async (text) => {
      const [one, other] = await makePeople(app, `one${count}`, `other${count++}`)
      const path = `/1.1/users/self/friendship/${other!.id}`
      await send('POST', path.replace('self', one!.id), { group: text }, { session: one!.session, master: false })
      return (await get('/1.1/classes/_Followee', where({ user: one!.pointer }))).results[0].group
    },
  ],
  [
    'a friendship request',
    async (text) => {
      const [one, other] = await makePeople(app, `asks${count}`, `asked${count++}`)
      const body = { user: one!.pointer, friend: other!.pointer, friendship: { group: text } }
      const session = { session: one!.session, master: false }
      const { objectId } = await send('POST', '/1.1/users/friendshipRequests', body, session)
      expect(objectId).toMatch(/^[0-9a-f]{24}$/)
      return stored(text)
    },
  ],
  [
    'the record of an external file',
    async (text) => {
      const body = { name: text, url: 'https://example.org/a', metaData: { about: text } }
      const { objectId } = await send('POST', '/1.1/files', body)
      const { name, metaData } = await get(`/1.1/files/${objectId}`)
      expect(metaData.about).toBe(name)
      return name
    },
  ],
  [
    'a file that is uploaded',
    async (text) => {
      const { objectId } = await send('POST', '/1.1/fileTokens', { name: text, metaData: { about: text } })
      expect(objectId).toMatch(/^[0-9a-f]{24}$/)
      return stored(text)
    },
  ],
  [
    'a file that is uploaded in one request',
    async (text) => {
      const body = { base64: 'QUJD', name: text, metaData: { about: text } }
      const { objectId } = await send('POST', '/1.1/files/plain.txt', body)
      const { name, metaData } = await get(`/1.1/files/${objectId}`)
      expect(metaData.about).toBe(name)
      return name
    },
  ],
  [
    'the content of a push',
    async (text) => {
      const channel = 'nobody'
      const { objectId } = await send('POST', '/1.1/push', {
        channels: [channel],
        data: { alert: text, more: { [text]: text } },
      })
      const { rows } = await app.sql('SELECT msg FROM "$push_records" WHERE id = $1', [objectId])
      expect(rows[0].msg.more).toEqual({ [stored(text)]: stored(text) })
      return rows[0].msg.alert
    },
  ],
  [
    'the condition of a push',
    async (text) => {
      await send('POST', '/1.1/push', { where: { nick: text }, data: { alert: 'x' } })
      return stored(text)
    },
  ],
  ...['conversations', 'chatrooms', 'service-conversations'].map((root): readonly [string, SaveAndRead] => [
    `the name and attributes of ${root}`,
    async (text) => {
      const body = { name: text, attr: { about: text }, ...(root === 'conversations' && { m: ['x'], unique: false }) }
      const { objectId } = await send('POST', `/1.2/rtm/${root}`, body)
      const { results } = await get('/1.1/classes/_Conversation', where({ objectId }))
      expect(results[0].attr.about).toBe(results[0].name)
      await send('PUT', `/1.2/rtm/${root}/${objectId}`, { name: `${text}!`, attr: { about: text } })
      const changed = await get('/1.1/classes/_Conversation', where({ objectId }))
      expect(changed.results[0].name).toBe(`${stored(text)}!`)
      return results[0].name
    },
  ]),
  [
    'a message over REST, and an edit of it',
    async (text) => {
      const { objectId } = await send('POST', '/1.2/rtm/conversations', { name: 'c', m: ['x', 'y'], unique: false })
      const path = `/1.2/rtm/conversations/${objectId}/messages`
      const push_data = { alert: text }
      const sent = await send('POST', path, { from_client: 'x', message: text, push_data })
      const [before] = await get(path)
      const { 'msg-id': id, timestamp } = sent
      await send('PUT', `${path}/${id}`, { from_client: 'x', message: `${text}!`, timestamp })
      expect((await get(path))[0].data).toBe(`${stored(text)}!`)
      return before.data
    },
  ],
  [
    'a message of a system conversation, and a broadcast',
    async (text) => {
      const { objectId } = await send('POST', '/1.2/rtm/service-conversations', { name: 's' })
      const path = `/1.2/rtm/service-conversations/${objectId}`
      await send('POST', `${path}/subscribers`, { client_id: 'x' })
      await send('POST', `${path}/broadcasts`, { from_client: 's', message: text, push: { alert: text } })
      await send('POST', `${path}/messages`, { from_client: 's', message: text, to_clients: ['x'] })
      return (await get(`${path}/subscribers/x/messages`))[0].data
    },
  ],
  [
    'the reason of a kick',
    async (text) => {
      await send('POST', '/1.2/rtm/clients/x/kick', { reason: text.slice(0, 20) })
      return stored(text)
    },
  ],
]

/** Conditions that find the object `PLACES` could have saved. */
const CONDITIONS: readonly (readonly [what: string, condition: (text: string) => object])[] = [
  ['equality', (text) => ({ text })],
  ['$in', (text) => ({ text: { $in: ['other', text] } })],
  ['$gte', (text) => ({ text: { $gte: text, $lte: text } })],
  ['$regex', (text) => ({ text: { $regex: `^${text}$` } })],
  ['$all', (text) => ({ list: { $all: [text] } })],
  ['an element', (text) => ({ list: text })],
  ['a member', (text) => ({ 'o.a': text })],
  ['a key', (text) => ({ [`o.${text}`]: 1 })],
  ['an object', (text) => ({ o: { a: text, [text]: 1 } })],
  ['$or', (text) => ({ $or: [{ text }, { text: 'nowhere' }] })],
  [
    'an inner query',
    (text) => ({ text: { $select: { key: 'text', query: { className: 'Found', where: { text } } } } }),
  ],
]

const stored = (text: string) => text.replaceAll('\u0000', '\ufffd').toWellFormed()

describe.each(CHARACTERS)('a text with %s', (_what, character) => {
  const text = () => `party ${count++} ${character}!`

  it.each(INPUTS)('is stored with U+FFFD in its place: %s', async (_place, saveAndRead) => {
    const sent = text()
    expect(await saveAndRead(sent)).toBe(stored(sent))
  })

  it.each(CONDITIONS)('matches the stored text: %s', async (_what, condition) => {
    const sent = text()
    const id = await saved('Found', { text: sent, list: [sent], o: { a: sent, [sent]: 1 } })
    const found = await get('/1.1/classes/Found', where(condition(sent)))
    expect(found.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([id])
    expect((await get('/1.1/classes/Found', { ...where(condition(sent)), count: '1', limit: '0' })).count).toBe(1)
    expect((await get('/1.1/scan/classes/Found', where(condition(sent)))).results).toHaveLength(1)
  })

  it('matches the stored text: CQL', async () => {
    const sent = text()
    await saved('Found', { text: sent })
    const cql = { cql: 'select * from Found where text = ?', pvalues: JSON.stringify([sent]) }
    expect((await get('/1.1/cloudQuery', cql)).results).toHaveLength(1)
  })

  it('is accepted as the condition of a live query', async () => {
    const query = { className: 'Found', where: { text: text() } }
    expect(await send('POST', '/1.1/LiveQuery/subscribe', { id: 'live', query })).toMatchObject({
      query_id: expect.any(String),
    })
  })

  it('that is an id is rejected, so that two ids never become one', async () => {
    const id = `x${character}`
    const refused = async (path: string, body: object) => {
      const { status } = await app.request('POST', path, { master: true, body })
      expect([path, status]).toEqual([path, 400])
    }
    await refused('/1.1/users', { authData: { github: { uid: id } } })
    await refused('/1.1/installations', { deviceType: 'android', installationId: id })
    await refused('/1.1/installations', { deviceType: 'ios', deviceToken: id })
    await refused('/1.1/LiveQuery/subscribe', { id, query: { className: 'Found', where: {} } })
    await refused('/1.2/rtm/conversations', { m: [id] })
    await refused('/1.1/rtm/messages', { from_peer: id, conv_id: 'x', message: 'x', transient: false })
    await refused('/1.1/classes/Found', { to: { __type: 'Pointer', className: 'Found', objectId: id } })
    await refused('/1.1/classes/Found', { ACL: { [id]: { read: true } } })
  })
})

describe('a chat message and a conversation over WebSocket', () => {
  // Protobuf strings are UTF-8, without lone surrogates; JSON inside them can contain them.
  it.each(CHARACTERS)('with %s are stored with U+FFFD in its place', async (_what, character) => {
    const connection = await connect(app)
    await connection.open('x')
    const text = `party ${character}!`
    const attr = { data: JSON.stringify({ name: text, attr: { [text]: text } }) }
    const started = await connection.request({ cmd: 'conv', op: 'start', convMessage: { m: ['y'], attr } })
    const cid = started.convMessage!.cid!
    const ack = await connection.request({ cmd: 'direct', directMessage: { cid, msg: text, dt: text } })
    expect(ack.ackMessage).toEqual({ cid, uid: expect.any(String), t: expect.any(Number) })
    const { uid: mid, t: timestamp } = ack.ackMessage!
    const logs = await connection.request({ cmd: 'logs', logsMessage: { cid } })
    expect(logs.logsMessage!.logs![0]!.data).toBe(stored(text))
    const patches = [{ cid, mid: mid!, timestamp: timestamp!, data: `${text}!`, recall: false }]
    const patched = await connection.request({ cmd: 'patch', op: 'modify', patchMessage: { patches } })
    expect(patched.op).toBe('modified')
    const query = { where: { data: JSON.stringify({ name: text }) } }
    const found = await connection.request({ cmd: 'conv', op: 'query', convMessage: query })
    const [record] = JSON.parse(found.convMessage!.results!.data)
    expect(record).toMatchObject({ objectId: cid, name: stored(text), attr: { [stored(text)]: stored(text) } })
    const change = { cid, attr: { data: JSON.stringify({ name: `${text}!` }) } }
    expect((await connection.request({ cmd: 'conv', op: 'update', convMessage: change })).op).toBe('updated')
  })
})
