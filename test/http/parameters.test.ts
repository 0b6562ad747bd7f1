import { type OutgoingHttpHeaders, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../src/api/endpoints.ts'
import { makeApp } from '../support/app.ts'

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'

const app = await makeApp()
const ann = await app.makeUser('ann')
const { body: post } = await app.request('POST', '/1.1/classes/Post', { body: { n: 1 } })
const make = async (path: string, body: object): Promise<string> =>
  (await app.request('POST', path, { master: true, body })).body.objectId
const conversation = await make('/1.2/rtm/conversations', { name: 'chat', m: ['ann', 'bob'] })
const room = await make('/1.2/rtm/chatrooms', { name: 'room' })
const service = await make('/1.2/rtm/service-conversations', { name: 'service' })
await app.request('POST', `/1.2/rtm/conversations/${conversation}/messages`, {
  master: true,
  body: { from_client: 'ann', message: 'hello' },
})

interface Answer {
  readonly status: number
  readonly body: object
}

type Value = string | number | boolean | object
type Values = { readonly [name: string]: Value }

/** The caller, where the master key is not accepted or a user is required. */
interface Caller {
  readonly user?: true
  /** The path of the call, unless it is that of the endpoint with the ids filled in. */
  readonly path?: string
  /** Members of the response that differ on each call. */
  readonly changing?: readonly string[]
}

/** Ids for path parameters. */
const ids: { readonly [name: string]: string } = {
  convId: conversation,
  messageId: 'message',
  infoId: 'info',
  clientId: 'bob',
  className: 'Post',
  objectId: post.objectId,
  id: ann.id,
  requestId: ann.id,
  targetId: ann.id,
  code: '123456',
  name: 'board',
}

const LIST: Values = { skip: 'x' }
const HISTORY: Values = { timestamp: 'x' }
const PHONE: Values = { mobilePhoneNumber: 'x' }
const PUSH: Values = { data: { alert: 'Hello' }, channels: ['a b!'] }

/** Returns the endpoints of objects at a path: their bodies are data, except for reads and deletions. */
const objectRows = (path: string): [endpoint: string, Values, Caller?][] => [
  [`GET ${path}`, LIST],
  [`GET ${path}/:objectId`, { keys: 'no field!' }],
  [`DELETE ${path}/:objectId`, { where: '{' }],
]

/** Parameters for each endpoint that change its response, for example because one is invalid. */
const rows: [endpoint: string, Values, Caller?][] = [
  ...[
    '/1.1/classes/:className',
    '/1.1/users',
    '/1.1/classes/_User',
    '/1.1/roles',
    '/1.1/files',
    '/1.1/classes/_File',
    '/1.1/classes/files',
    '/1.1/classes/_file',
    '/1.1/installations',
    '/1.1/classes/_Installation',
    '/1.1/statuses',
    '/1.1/classes/_Followee',
    '/1.1/classes/_Follower',
    '/1.1/classes/_FriendshipRequest',
  ].flatMap(objectRows),
  ['GET /1.1/classes/_ConversationMemberInfo', LIST],
  ['GET /1.1/scan/classes/:className', { cursor: 'x' }],
  ['GET /1.1/users/me', { session_token: ann.session }],
  ['GET /1.1/users/strictlyQuery', { where: { username: 'ann' } }],
  [
    'PUT /1.1/users/:objectId/updatePassword',
    { old_password: 'wrong' },
    { user: true, path: `/1.1/users/${ann.id}/updatePassword` },
  ],
  ...['followers', 'followees', 'followersAndFollowees', 'mutualFollowees'].map((list): [string, Values, Caller] => [
    `GET /1.1/users/:objectId/${list}`,
    LIST,
    { user: true, path: `/1.1/users/${ann.id}/${list}` },
  ]),
  ['GET /1.1/users/self/friends', LIST, { user: true }],
  ['GET /1.1/users/self/friendBlocklist', LIST, { user: true }],
  [
    'POST /1.1/users/friendshipRequests',
    { friend: { __type: 'Pointer', className: '_User', objectId: ann.id } },
    { user: true },
  ],
  ['PUT /1.1/users/friendshipRequests/:requestId/accept', { friendship: [1] }, { user: true }],
  ['POST /1.1/login', { username: 'nobody', password: 'x' }],
  ['GET /1.1/login', { username: 'nobody', password: 'x' }],
  ['POST /1.1/requestEmailVerify', { email: 'nobody@example.org' }],
  ['POST /1.1/requestPasswordReset', { email: 'nobody@example.org' }],
  ['POST /1.1/usersByMobilePhone', { mobilePhoneNumber: '+8613800000009', smsCode: '123456' }],
  ['POST /1.1/requestSmsCode', PHONE],
  ['POST /1.1/verifySmsCode/:code', { mobilePhoneNumber: '+8613800000009' }],
  ['POST /1.1/requestMobilePhoneVerify', PHONE],
  ['POST /1.1/verifyMobilePhone/:code', PHONE],
  ['POST /1.1/requestLoginSmsCode', PHONE],
  ['POST /1.1/requestPasswordResetBySmsCode', PHONE],
  ['PUT /1.1/resetPasswordBySmsCode/:code', { password: 'secret', mobilePhoneNumber: '+8613800000009' }],
  ['POST /1.1/resetPasswordBySmsCode/:code', { password: 'secret', mobilePhoneNumber: '+8613800000009' }],
  ['POST /1.1/requestChangePhoneNumber', PHONE, { user: true }],
  ['POST /1.1/changePhoneNumber', PHONE, { user: true }],
  ['GET /1.1/requestCaptcha', { width: 1 }],
  ['POST /1.1/verifyCaptcha', { captcha_token: 'x', captcha_code: 'y' }],
  ['POST /1.1/fileTokens', { name: 'a.txt', ACL: [1] }],
  ['POST /1.1/qiniu', { name: 'a.txt', ACL: [1] }],
  ['POST /1.1/fileCallback', { token: 'x', result: true }],
  ['POST /1.1/exportData', { 'only-schema': 'x' }],
  ['GET /1.1/cloudQuery', { cql: 'select * from Nothing where n = ?', pvalues: [1] }],
  ['GET /1.1/search/select', { q: 'hello' }],
  ['GET /1.1/search/mlt', { clazz: 'Post', like: 'hello' }],
  ['GET /1.1/search/analyze', { text: 'hello' }],
  ['POST /1.1/batch', { requests: [{ method: 'GET', path: '/1.1/classes/Nothing' }] }],
  ['POST /1.1/batch/save', { requests: [] }],
  ['POST /1.1/engine/cloud-queue/tasks', { function: 'f', attempts: -1, params: { a: 1 } }],
  ['POST /1.1/push', PUSH],
  ['POST /1.1/push/devices', { data: { alert: 'Hello' }, device_type: 'web' }],
  ['GET /1.1/notifications', LIST],
  ['POST /1.1/statuses', { data: { message: 'hi' }, query: { className: 'x y' } }, { user: true }],
  ['GET /1.1/subscribe/statuses', { sinceId: 'x' }, { user: true }],
  ['GET /1.1/subscribe/statuses/count', { owner: 'x' }, { user: true }],
  ['DELETE /1.1/subscribe/statuses/inbox', { messageId: 'x' }, { user: true }],
  ['POST /1.1/subscribe/statuses/resetUnreadCount', { owner: 'x' }, { user: true }],
  ['POST /1.1/leaderboard/leaderboards', { statisticName: 'a b' }],
  ['PUT /1.1/leaderboard/leaderboards/:name', { updateStrategy: 'x' }],
  ['GET /1.1/leaderboard/leaderboards/:name/archives', LIST],
  ...['', '/user', '/object', '/entity'].flatMap((kind): [string, Values][] => [
    [`GET /1.1/leaderboard/leaderboards${kind}/:name/ranks`, { startPosition: 'x' }],
    [`GET /1.1/leaderboard/leaderboards${kind}/:name/ranks/:id`, { startPosition: 'x' }],
  ]),
  ...['user', 'object', 'entity'].flatMap((kind): [string, Values][] => [
    [`POST /1.1/leaderboard/leaderboards/${kind}/:name/group/ranks`, { ids: [ann.id], startPosition: 'x' }],
    [`POST /1.1/leaderboard/leaderboards/${kind}/:name/group/ranks/:id`, { ids: [ann.id], startPosition: 'x' }],
    [`GET /1.1/leaderboard/${kind === 'entity' ? 'entities' : `${kind}s`}/:id/statistics`, { statistics: 'nothing' }],
    [
      `DELETE /1.1/leaderboard/${kind === 'entity' ? 'entities' : `${kind}s`}/:id/statistics`,
      { statistics: 'nothing' },
    ],
    [`POST /1.1/leaderboard/${kind === 'entity' ? 'entities' : `${kind}s`}/statistics/:name`, { ids: [ann.id] }],
  ]),
  ['POST /1.1/LiveQuery/subscribe', { id: 'subscriber', query: { className: 'Post', where: { n: 1 } } }],
  ['POST /1.1/LiveQuery/unsubscribe', { id: 'subscriber', query_id: 'ff' }],
  ['POST /1.1/LiveQuery/unsubscribe/:id', { id: 'subscriber', query_id: 'ff' }],
  ['POST /1.1/LiveQuery/subscribe/ping', { id: 'subscriber', query_id: 'ff' }],
  ['POST /1.1/rtm/sign', { session_token: ann.session }, { changing: ['nonce', 'signature', 'timestamp'] }],
  ['POST /1.1/rtm/messages', { from_peer: 'ann' }],
  ['POST /1.1/rtm/broadcast', { from_peer: 'ann' }],
  ['GET /1.1/rtm/messages/history', { max_ts: 'x' }],
  ['GET /1.1/rtm/messages/logs', { max_ts: 'x' }],
  ['PUT /1.1/rtm/messages/logs', { data: 'x' }],
  ['DELETE /1.1/rtm/messages/logs', { convid: 'x' }],
  ['POST /1.1/rtm/online', { peers: ['ann', ''] }],
  ['GET /1.1/rtm/transient_group/onlines', { gid: room }],
  ['GET /1.1/rtm/transient_group/members', { gid: room }],
  ['POST /1.1/rtm/conversation/subscription', { client_id: 'ann' }],
  ['DELETE /1.1/rtm/conversation/subscription', { client_id: 'ann' }],
  ['GET /1.1/rtm/conversation/subscription', { client_id: 'ann' }],
  ['GET /1.1/rtm/conversation/subscribed', { conv_id: service, client_id: 'ann' }],
  ['GET /1.1/rtm/conversation/subscribers', { conv_id: service, limit: 5 }],
  ['GET /1.1/rtm/conversation/subscribers/count', { conv_id: service }],
  ['POST /1.1/rtm/conversation/blacklist', { client_id: 'ann', conv_id: room, ttl: 0 }],
  ['DELETE /1.1/rtm/conversation/blacklist', { client_id: 'ann', conv_id: room }],
  ['POST /1.1/rtm/client/kick', { client_id: 'nobody', reason: 'x' }],
  ['POST /1.1/rtm/patch/message', { from_peer: 'ann', conv_id: room, msg_id: 'x', timestamp: 1, recall: true }],
  ['POST /1.1/rtm/broadcast/subscriber', { from_peer: 'ann' }],
  ['GET /1.1/rtm/broadcast', { conv_id: service }],
  ['DELETE /1.1/rtm/broadcast', { mid: 'x' }],
  ['GET /1.2/rtm/broadcasts', { conv_id: service }],
  ['POST /1.2/rtm/conversations', { m: ['ann', ''] }],
  ...(
    [
      ['conversations', conversation],
      ['chatrooms', room],
      ['service-conversations', service],
    ] as const
  ).flatMap(([root, id]): [string, Values, Caller?][] => {
    const of = (method: string, path: string, values: Values): [string, Values, Caller] => {
      const target = path.replace(/:\w+/g, (name) => ids[name.slice(1)]!)
      return [`${method} /1.2/rtm/${root}/:convId${path}`, values, { path: `/1.2/rtm/${root}/${id}${target}` }]
    }
    return [
      [`GET /1.2/rtm/${root}`, LIST],
      of('POST', '/blacklists', { client_ids: [''] }),
      of('DELETE', '/blacklists', { client_ids: [''] }),
      of('GET', '/blacklists', { limit: 'x' }),
      of('POST', '/messages', { from_client: 'ann' }),
      of('PUT', '/messages/:messageId', { message: 'hello' }),
      of('PUT', '/messages/:messageId/recall', { from_client: 'ann' }),
      ...(root === 'service-conversations'
        ? [
            of('POST', '/broadcasts', { from_client: 'ann' }),
            of('POST', '/subscribers', { client_id: '' }),
            of('GET', '/subscribers', { limit: 'x' }),
            of('GET', '/subscribers/:clientId/messages', HISTORY),
            of('DELETE', '/subscribers/:clientId/messages/:messageId', { from_client: 'ann' }),
          ].filter(([endpoint]) => !endpoint.startsWith('POST /1.2/rtm/service-conversations/:convId/subscribers'))
        : [
            of('GET', '/messages', HISTORY),
            of('DELETE', '/messages/:messageId', { from_client: 'ann' }),
            of('POST', '/temporary-silenceds', { client_id: 'bob' }),
            of('DELETE', '/temporary-silenceds', { client_id: 'bob' }),
            of('POST', '/permanent-silenceds', { client_ids: [''] }),
            of('DELETE', '/permanent-silenceds', { client_ids: [''] }),
            of('GET', '/permanent-silenceds', { limit: 'x' }),
            of('POST', '/member-infos', { clientId: 'bob' }),
            of('PUT', '/member-infos/:infoId', { clientId: 'bob' }),
            of('GET', '/member-infos', LIST),
          ]),
    ]
  }),
  ['POST /1.2/rtm/conversations/:convId/members', { client_ids: [''] }],
  ['DELETE /1.2/rtm/conversations/:convId/members', { client_ids: [''] }],
  ['POST /1.2/rtm/conversations/:convId/mutes', { client_ids: [''] }],
  ['DELETE /1.2/rtm/conversations/:convId/mutes', { client_ids: [''] }],
  [
    'POST /1.2/rtm/service-conversations/:convId/subscribers',
    { client_id: 'x'.repeat(65) },
    { path: `/1.2/rtm/service-conversations/${service}/subscribers` },
  ],
  ['POST /1.2/rtm/clients/check-online', { client_ids: ['ann'] }],
  ['GET /1.2/rtm/clients/sign', { session_token: 'nobody' }],
  ['GET /1.2/rtm/clients/:clientId/unread-count', { conv_id: service }],
  ['GET /1.2/rtm/clients/:clientId/messages', HISTORY],
  ['POST /1.2/rtm/clients/:clientId/kick', { reason: 'x'.repeat(10_000) }],
  ['GET /1.2/rtm/clients/:clientId/service-conversations', { direction: 'x' }],
  ['POST /1.2/rtm/clients/:clientId/blacklists', { conv_id: 'nothing' }],
  ['DELETE /1.2/rtm/clients/:clientId/blacklists', { conv_id: 'nothing' }],
  ['GET /1.2/rtm/clients/:clientId/blacklists', { limit: 'x' }],
  ['GET /1.2/rtm/messages', HISTORY],
  ['GET /1.2/rtm/all-conversations', LIST],
]

/** Endpoints whose bodies are data: only the URL has parameters. */
const DATA = [
  /^(POST|PUT) \/1\.1\/(classes\/\w*:?\w+|users|roles|files|installations)(\/:objectId)?$/,
  /^POST \/1\.1\/files\/\*$/,
  /^(POST|PUT) \/1\.1\/users\/:objectId\/friendship\/:targetId$/,
  /^POST \/1\.1\/(functions|call)\/:name$/,
  /^POST \/1\.1\/leaderboard\/\w+\/:id\/statistics$/,
  /^POST \/1\.2\/rtm\/(chatrooms|service-conversations)$/,
  /^PUT \/1\.2\/rtm\/(conversations|chatrooms|service-conversations)\/:convId$/,
]

/** Endpoints without parameters, except in the path. */
const NONE = [
  /^PUT \/1\.1\/users\/:objectId\/refreshSessionToken$/,
  /^DELETE \/1\.1\/users\/:objectId\/friendship\/:targetId$/,
  /^PUT \/1\.1\/users\/friendshipRequests\/:requestId\/decline$/,
  /^(POST|DELETE) \/1\.1\/users\/self\/friendBlocklist\/:objectId$/,
  /^POST \/1\.1\/files\/:objectId\/censor$/,
  /^GET \/1\.1\/(schemas|exportData|date|stats|statistics|engine|tables|scheduledPushMessages)\b/,
  /^DELETE \/1\.1\/scheduledPushMessages\/:id$/,
  /^POST \/1\.1\/stats\//,
  /^(GET|DELETE) \/1\.1\/notifications\/:id$/,
  /^(GET|POST) \/1\.1\/bigquery\//,
  /^(GET|DELETE) \/1\.1\/leaderboard\/leaderboards(\/:name)?$/,
  /^PUT \/1\.1\/leaderboard\/leaderboards\/:name\/incrementVersion$/,
  /^GET \/1\.2\/rtm\/stats$/,
  /^GET \/1\.1\/rtm\/messages\/unread\//,
  /^DELETE \/1\.2\/rtm\/\S+\/:(convId|infoId|clientId)$/,
  /^DELETE \/1\.2\/rtm\/broadcasts\/:messageId$/,
  /^GET \/1\.2\/rtm\/\S+\/(members|mutes|members\/online-count|subscribers\/count)$/,
  /tap-support\/identity$/,
]

/** Called in test/realtime, because its callers need a WebSocket. */
const ELSEWHERE = [/^GET \/1\.1\/rtm\/notifications$/]

it('each app endpoint is known to have parameters, data or neither', () => {
  const known = new Set(rows.map(([endpoint]) => endpoint))
  const others = [...DATA, ...NONE, ...ELSEWHERE]
  const unknown = endpoints
    .filter(({ access }) => access === 'app')
    .map(({ method, path }) => `${method} ${path}`)
    .filter((endpoint) => !known.has(endpoint) && !others.some((pattern) => pattern.test(endpoint)))
  expect(unknown).toEqual([])
  const real = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
  expect([...known].filter((endpoint) => !real.has(endpoint))).toEqual([])
})

const asText = (value: Value): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
/** Encodes parameters for URLs and forms. */
const textOf = (values: Values): string =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, asText(value)] as [string, string]),
  ).toString()

/** Sends a request with a body for any method: `fetch` sends none with GET. */
function sendBody(method: string, path: string, headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(app.url + path, { method, headers }, (response) => {
      json(response).then((answer) => resolve({ status: response.statusCode!, body: answer as object }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe.each(rows)('%s', (endpoint, values, { user, path: given, changing = [] } = {}) => {
  const [method, pattern] = endpoint.split(' ') as [string, string]
  const path = given ?? pattern.replace(/:\w+/g, (name) => ids[name.slice(1)]!)
  const key = user ? app.appKey : `${app.masterKey},master`
  const headers = { 'x-lc-id': app.appId, 'x-lc-key': key, ...(user && { 'x-lc-session': ann.session }) }

  const lasting = (body: object): object =>
    Array.isArray(body) ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !changing.includes(name)))
  const send = async (search: string, type: string, body: string, to = path, by = method) => {
    const described = { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const answer = await sendBody(by, to + search, described, body)
    return { status: answer.status, body: lasting(answer.body) }
  }

  it('accepts its parameters from a JSON body, the URL and a form', async () => {
    const fromJson = await send('', JSON_TYPE, JSON.stringify(values))
    expect(await send(`?${textOf(values)}`, JSON_TYPE, '')).toEqual(fromJson)
    expect(await send('', FORM, textOf(values))).toEqual(fromJson)
    // The form sent by browsers that cannot set headers.
    const credentials = { _ApplicationId: app.appId, _ApplicationKey: key, ...(user && { _SessionToken: ann.session }) }
    const tunnelled = JSON.stringify({ ...values, ...credentials, _method: method })
    expect(await send('', 'text/plain', tunnelled, path, 'POST')).toEqual(fromJson)
    expect(await send('', JSON_TYPE, '')).not.toEqual(fromJson)
  })

  // A batch cannot contain batches.
  if (path.startsWith('/1.1/batch')) return
  it('accepts them in a batch from path, params and body', async () => {
    const single = await send('', JSON_TYPE, JSON.stringify(values))
    const requests = [
      { method, path, body: values },
      { method, path, params: values },
      { method, path: `${path}?${textOf(values)}` },
    ]
    const { body } = await send('', JSON_TYPE, JSON.stringify({ requests }), '/1.1/batch', 'POST')
    const answers = (body as { error?: object; success?: object }[]).map(
      ({ error, success }) => error ?? lasting(success!),
    )
    expect(answers).toEqual([single.body, single.body, single.body])
  })
})

describe('names with brackets', () => {
  const path = '/1.1/classes/Bracketed'
  const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
  const send = (method: string, search: string, type = JSON_TYPE, body = '') =>
    sendBody(
      method,
      path + search,
      { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) },
      body,
    )

  it.each(['keys[]=a&keys[]=b', 'keys%5B0%5D=a&keys%5B1%5D=b'])('are a list: %s', async (text) => {
    const { objectId } = (await app.request('POST', path, { body: { a: 1, b: 2, c: 3 } })).body
    const where = `where=${encodeURIComponent(JSON.stringify({ objectId }))}`
    for (const { body } of [await send('GET', `?${where}&${text}`), await send('GET', `?${where}`, FORM, text)]) {
      const [found] = (body as { results: object[] }).results
      expect(Object.keys(found!).sort()).toEqual(['a', 'b', 'createdAt', 'objectId', 'updatedAt'])
    }
  })

  it.each(['where[n]=1', 'where%5Bn%5D%5B%24gt%5D=1'])(
    'that would be an object are rejected, so that nothing runs without its condition: %s',
    async (text) => {
      const { objectId } = (await app.request('POST', path, { body: { n: 2 } })).body
      const error = { code: 107, error: expect.stringContaining("send 'where' as JSON text") }
      expect((await send('GET', `?${text}`)).body).toMatchObject(error)
      expect((await send('GET', '', FORM, text)).body).toMatchObject(error)
      expect((await send('PUT', `/${objectId}?${text}`, JSON_TYPE, '{"n":9}')).body).toMatchObject(error)
      expect((await send('DELETE', `/${objectId}?${text}`)).body).toMatchObject(error)
      expect((await send('DELETE', `/${objectId}`, FORM, text)).body).toMatchObject(error)
      const requests = [{ method: 'PUT', path: `${path}/${objectId}?${text}`, body: { n: 9 } }]
      const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
      expect(body).toEqual([{ error }])
      expect((await app.request('GET', `${path}/${objectId}`)).body.n).toBe(2)
    },
  )
})

describe('the body takes precedence over the URL', () => {
  const find = (search: string, type: string, body: string) => {
    const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey, 'content-type': type }
    return sendBody(
      'GET',
      `/1.1/classes/Post?${search}`,
      { ...headers, 'content-length': Buffer.byteLength(body) },
      body,
    )
  }

  it.each([
    [JSON_TYPE, '{"skip":"x"}'],
    [FORM, 'skip=x'],
  ])('%s', async (type, body) => {
    expect((await find('skip=0', type, body)).body).toMatchObject({ code: 102 })
    expect((await find('skip=x', type, body.replace('x', '0'))).status).toBe(200)
  })

  it.each(['""', 'null', '{}', '[]', '', '5', 'nonsense'])('the body %j has no parameters', async (body) => {
    expect((await find('limit=1', JSON_TYPE, body)).status).toBe(200)
  })

  it('rejects a parameter that must be JSON and is not', async () => {
    expect((await find('limit=1', JSON_TYPE, '{"skip":')).body).toMatchObject({ code: 107 })
  })

  it.each(['[1]', '5', '"text"'])('rejects a command with the body %s', async (text) => {
    const { body } = await app.request('POST', '/1.1/requestEmailVerify?email=a@example.org', { body: text })
    expect(body).toMatchObject({ code: 107, error: expect.stringContaining('The body must be a JSON object.') })
  })
})

describe('when the body is data', () => {
  it('a URL parameter does not become a field', async () => {
    const { body } = await app.request('POST', '/1.1/classes/Post?foo=1&fetchWhenSave=true', { body: { n: 2 } })
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'n', 'objectId', 'updatedAt'])
    await app.request('PUT', `/1.1/classes/Post/${body.objectId}?foo=1&n=5`, { body: { title: 'x' } })
    const stored = await app.request('GET', `/1.1/classes/Post/${body.objectId}`)
    expect(stored.body).toMatchObject({ n: 2, title: 'x' })
    expect(stored.body).not.toHaveProperty('foo')
  })

  it('a field is not treated as a parameter', async () => {
    const fields = { limit: 1, where: { n: 100 }, skip: 2, keys: 'n', new: true, session_token: 'x' }
    const { status, body } = await app.request('POST', '/1.1/classes/Named', { body: fields })
    expect(status).toBe(201)
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'objectId'])
    const path = `/1.1/classes/Named/${body.objectId}`
    // A false condition would return 305.
    expect((await app.request('PUT', path, { body: { where: { n: 101 } } })).status).toBe(200)
    expect((await app.request('GET', path)).body).toMatchObject({ ...fields, where: { n: 101 } })
  })

  it('a new conversation takes no attributes from the URL', async () => {
    const options = { master: true, body: { topic: 'tea' } }
    const { body } = await app.request('POST', '/1.2/rtm/conversations?name=x&m=["ann"]&unique=true&foo=1', options)
    expect(body).toMatchObject({ name: 'x', m: ['ann'], unique: true, topic: 'tea' })
    expect(body).not.toHaveProperty('foo')
  })

  it('sign-up takes no fields from the URL', async () => {
    const { body } = await app.request('POST', '/1.1/users?username=bob&password=x', { body: {} })
    expect(body.code).toBe(200)
  })
})

describe('no parameter identifies the caller', () => {
  const claims: Values = {
    _ApplicationId: app.appId,
    _ApplicationKey: app.appKey,
    _MasterKey: app.masterKey,
    _SessionToken: ann.session,
    'X-LC-Id': app.appId,
    'X-LC-Key': app.appKey,
    'X-LC-Session': ann.session,
    sessionToken: ann.session,
    session_token: ann.session,
  }
  const strange = { 'content-type': JSON_TYPE }
  const known = { ...strange, 'x-lc-id': app.appId, 'x-lc-key': app.appKey }

  it.each([
    ['the URL', `?${textOf(claims)}`, JSON_TYPE, ''],
    ['a form', '', FORM, textOf(claims)],
    ['a JSON body', '', JSON_TYPE, JSON.stringify(claims)],
  ])('in %s', async (_place, search, type, body) => {
    const length = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const without = await sendBody('GET', `/1.1/classes/Post${search}`, { ...strange, ...length }, body)
    expect(without.status).toBe(401)
    const all = await sendBody('GET', `/1.2/rtm/all-conversations${search}`, { ...known, ...length }, body)
    expect(all.status).toBe(401)
    const mine = await sendBody('GET', `/1.1/users/self/friends${search}`, { ...known, ...length }, body)
    expect(mine.status).toBe(403)
  })
})
