import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../../errors.ts'
import type { Json } from '../../values/json.ts'
import { type CheckOptions, checkPlatforms, checksAny, type PlatformsData } from './check.ts'
import { platformSettings } from './platform-settings.ts'

interface Question {
  readonly method: string
  readonly path: string
  readonly query: Record<string, string>
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A stub of all platforms: records requests and responds by path. */
let questions: Question[] = []
let answers: Record<string, Json | ((response: ServerResponse) => void)> = {}
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://stand-in')
  const { method, headers } = request
  const body = await text(request)
  questions.push({ method: method!, path: pathname, query: Object.fromEntries(searchParams), headers, body })
  const answer = answers[pathname] ?? null
  if (typeof answer === 'function') answer(response)
  // Weixin sends its JSON as text/plain.
  else response.setHeader('Content-Type', 'text/plain').end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeEach(() => {
  questions = []
  answers = {}
})

afterEach(() => void vi.restoreAllMocks())

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const settings = platformSettings.parse({
  weixin: { check: true, endpoint: `${url}/sns/auth`, userInfoEndpoint: `${url}/sns/userinfo` },
  qq: { appId: '101', endpoint: `${url}/oauth2.0/me` },
  weibo: { appKey: '1352222456', endpoint: `${url}/oauth2/get_token_info` },
  lc_weapp: { appId: 'wx1', appSecret: 'SECRET-1', endpoint: `${url}/weixin/jscode2session` },
  lc_qqapp: { appId: '112', appSecret: 'SECRET-2', endpoint: `${url}/qq/jscode2session` },
  endpoints: { school: { url: `${url}/school`, secret: 'SECRET-3' }, club: { url: `${url}/club?of=us` } },
})

const PATHS = {
  weixin: '/sns/auth',
  qq: '/oauth2.0/me',
  weibo: '/oauth2/get_token_info',
  lc_weapp: '/weixin/jscode2session',
  lc_qqapp: '/qq/jscode2session',
  school: '/school',
}

/** The data of an honest client, and the platform's response to it. */
const SENT: PlatformsData = {
  weixin: { openid: 'o1', access_token: 'SECRET-token', expires_in: 7200 },
  qq: { openid: 'Q1', access_token: 'SECRET-token', expires_in: 7200 },
  weibo: { uid: '1073880650', access_token: 'SECRET-token', expiration_in: '36000' },
  lc_weapp: { code: 'SECRET-code', platform: 'weixin', main_account: true },
  lc_qqapp: { code: 'SECRET-code', platform: 'qq', main_account: false },
  school: { uid: 's1', access_token: 'SECRET-token' },
}
const HONEST = {
  '/sns/auth': { errcode: 0, errmsg: 'ok' },
  '/sns/userinfo': { openid: 'o1', nickname: 'Li', sex: 1, privilege: [], unionid: 'U1' },
  '/oauth2.0/me': { client_id: '101', openid: 'Q1', unionid: 'UID_1' },
  '/oauth2/get_token_info': {
    uid: 1073880650,
    appkey: 1352222456,
    scope: null,
    create_at: 1352267591,
    expire_in: 157679471,
  },
  '/weixin/jscode2session': { session_key: 'SECRET-key', openid: 'w1', unionid: 'U1' },
  '/qq/jscode2session': { errcode: 0, errmsg: '', session_key: 'SECRET-key', openid: 'q1', unionid: '' },
  '/school': {},
}

async function check(name: string, data: PlatformsData[string] = SENT[name]!, options?: CheckOptions): Promise<Json> {
  return (await checkPlatforms(settings, { [name]: data }, options))[name]!
}

/** Returns the error of a check, and asserts that it reveals no secret of the client. */
async function refusal(name: string, data?: PlatformsData[string], options?: CheckOptions): Promise<ApiError> {
  const error = await check(name, data, options).then(
    () => expect.fail('the check passed'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw error
  expect(`${error.message} ${error.cause}`).not.toContain('SECRET')
  return error
}

it.each(['weixin', 'qq', 'weibo', 'school'])('%s: returns data that the platform confirms as sent', async (name) => {
  answers = HONEST
  expect(await check(name)).toEqual(SENT[name])
})

it('replaces the code of a mini program by openid, session_key and unionid, and keeps the other members', async () => {
  answers = HONEST
  expect(await checkPlatforms(settings, { lc_weapp: SENT.lc_weapp!, lc_qqapp: SENT.lc_qqapp! })).toEqual({
    lc_weapp: { openid: 'w1', session_key: 'SECRET-key', unionid: 'U1', platform: 'weixin', main_account: true },
    lc_qqapp: { openid: 'q1', session_key: 'SECRET-key', platform: 'qq', main_account: false },
  })
})

it.each([
  ['weixin', 'GET', { access_token: 'SECRET-token', openid: 'o1' }, ''],
  ['qq', 'GET', { access_token: 'SECRET-token', fmt: 'json' }, ''],
  ['weibo', 'POST', {}, 'access_token=SECRET-token'],
  [
    'lc_weapp',
    'GET',
    { appid: 'wx1', secret: 'SECRET-1', js_code: 'SECRET-code', grant_type: 'authorization_code' },
    '',
  ],
  [
    'lc_qqapp',
    'GET',
    { appid: '112', secret: 'SECRET-2', js_code: 'SECRET-code', grant_type: 'authorization_code' },
    '',
  ],
] as const)('sends %s a request in its own format', async (name, method, query, body) => {
  answers = HONEST
  await check(name)
  expect(questions).toMatchObject([{ method, path: PATHS[name], query, body }])
})

it.each([
  ['weixin', 252, 'Invalid Weixin session', '40003', { errcode: 40003, errmsg: 'invalid openid' }],
  ['weixin', 252, 'Invalid Weixin session', '42001', { errcode: 42001, errmsg: 'access_token expired, SECRET' }],
  ['qq', 251, 'Invalid linked session', '100016', { error: 100016, error_description: 'access token check failed' }],
  ['qq', 251, 'Invalid linked session', 'an error', { error: 'SECRET' }],
  ['qq', 251, 'Invalid linked session', "'openid'", { client_id: '101', openid: 'Q2' }],
  ['qq', 251, 'Invalid linked session', 'another app', { client_id: '102', openid: 'Q1' }],
  ['qq', 251, 'Invalid linked session', 'another app', { openid: 'Q1' }],
  ['weibo', 251, 'Invalid Weibo session', "'uid'", { uid: 7, appkey: '1352222456', expire_in: 9 }],
  ['weibo', 251, 'Invalid Weibo session', 'another app', { uid: '1073880650', appkey: '7', expire_in: 9 }],
  ['weibo', 251, 'Invalid Weibo session', 'expired', { uid: '1073880650', appkey: '1352222456', expire_in: -9 }],
  ['lc_weapp', 251, 'Invalid linked session', '40029', { errcode: 40029, errmsg: 'invalid code, rid: 6583f22d' }],
  ['lc_weapp', 251, 'Invalid linked session', '40163', { errcode: 40163, errmsg: 'code been used, SECRET-code' }],
  ['lc_qqapp', 251, 'Invalid linked session', '-101222100', { errcode: -101222100, errmsg: '参数错误' }],
] as const)('%s: rejects with code %i, %s: %s', async (name, code, fixed, detail, answer) => {
  answers = { [PATHS[name]]: answer }
  const error = await refusal(name)
  expect(error).toMatchObject({ status: 400, code, message: expect.stringContaining(detail) })
  expect(error.message.startsWith(`${fixed}. `)).toBe(true)
})

it('Weibo: reads the reason from the JSON of a response with status 400 or 403', async () => {
  const body = { error: 'expired_token', error_code: 21327, request: '/oauth2/get_token_info' }
  answers = { [PATHS.weibo]: (response) => void response.writeHead(403).end(JSON.stringify(body)) }
  expect(await refusal('weibo')).toMatchObject({ code: 251, message: expect.stringContaining('21327') })
})

it('Weibo: accepts tokens of any app without a configured appKey', async () => {
  answers = { [PATHS.weibo]: { uid: '1073880650', appkey: '7', expire_in: 9 } }
  const any = platformSettings.parse({ weibo: { endpoint: `${url}${PATHS.weibo}` } })
  await expect(checkPlatforms(any, { weibo: SENT.weibo! })).resolves.toEqual({ weibo: SENT.weibo })
})

it.each([
  ['weixin', 'openid', { access_token: 'a' }],
  ['weixin', 'access_token', { openid: 'o1' }],
  ['weixin', 'openid', { openid: ['o1'], access_token: 'a' }],
  ['weixin', 'unionid', { openid: 'o1', access_token: 'a', unionid: ['U1'] }],
  ['qq', 'openid', { access_token: 'a', openid: '' }],
  ['qq', 'access_token', { openid: 'Q1', access_token: null }],
  ['weibo', 'uid', { access_token: 'a' }],
  ['weibo', 'access_token', { uid: 1073880650 }],
  ['lc_weapp', 'code', {}],
  ['lc_qqapp', 'code', { code: { toString: 'x' } }],
] as const)('%s: sends no request without a valid %s: %j', async (name, missing, data) => {
  answers = HONEST
  const error = await refusal(name, data)
  expect(error).toMatchObject({ status: 400, code: 250, message: expect.stringContaining(`'${missing}'`) })
  expect(questions).toEqual([])
})

it('compares ids as texts', async () => {
  answers = HONEST
  await expect(check('weibo', { uid: 1073880650, access_token: 'a' })).resolves.toMatchObject({ uid: 1073880650 })
})

it.each(['lc_weapp', 'lc_qqapp'])('%s: rejects an openid without a code', async (name) => {
  answers = HONEST
  expect(await refusal(name, { openid: 'w1' })).toMatchObject({ code: 251, message: expect.stringContaining("'code'") })
  expect(questions).toEqual([])
})

it.each([
  ['weixin', { ...SENT.weixin, unionid: 'U1' }],
  ['qq', { ...SENT.qq, unionid: 'UID_1' }],
  ['lc_weapp', { ...SENT.lc_weapp, unionid: 'U1', openid: 'w1' }],
])('%s: accepts a union id that the platform confirms', async (name, data) => {
  answers = HONEST
  await expect(check(name, data)).resolves.toMatchObject({ unionid: data.unionid! })
})

it.each([
  ['weixin', 252, { ...SENT.weixin, unionid: 'U2' }],
  ['weixin', 252, { ...SENT.weixin, openid: 'o2', unionid: 'U1' }],
  ['qq', 251, { ...SENT.qq, unionid: 'UID_2' }],
  ['weibo', 251, { ...SENT.weibo, unionid: 'U1' }],
  ['lc_weapp', 251, { ...SENT.lc_weapp, unionid: 'U2' }],
  ['lc_weapp', 251, { ...SENT.lc_weapp, openid: 'w2' }],
  ['lc_qqapp', 251, { ...SENT.lc_qqapp, unionid: 'U1' }],
] as const)('%s: rejects an id that the platform does not confirm with code %i: %j', async (name, code, data) => {
  answers = HONEST
  expect(await refusal(name, data)).toMatchObject({ code })
})

it('QQ: requests the union id only when one was sent, because apps without permission get an error', async () => {
  answers = HONEST
  await check('qq')
  await check('qq', { ...SENT.qq, unionid: 'UID_1' })
  expect(questions.map(({ query }) => query.unionid)).toEqual([undefined, '1'])
})

const HTML = '<html><body>SECRET Bad Gateway</body></html>'
const FAILURES: [what: string, answer: (response: ServerResponse) => void][] = [
  ['status 500', (response) => response.writeHead(500).end('{"errcode":0,"openid":"o1"}')],
  ['status 302', (response) => response.writeHead(302, { Location: `${url}/elsewhere` }).end()],
  ['no JSON', (response) => response.end(HTML)],
  ['no JSON object', (response) => response.end('[{"errcode":0}]')],
  ['a JSON object that breaks off', (response) => response.end('{"errcode":0')],
  ['more than 64 KB', (response) => response.end(JSON.stringify({ errcode: 0, filling: 'x'.repeat(65_536) }))],
  ['a closed connection', (response) => response.destroy()],
]
const SILENCE: typeof FAILURES = [
  ['nothing', () => {}],
  ['the beginning of a body', (response) => void response.writeHead(200).write('{"errcode":')],
]
const ofAll = (answers: typeof FAILURES) =>
  Object.entries(PATHS).flatMap(([name, path]) => answers.map(([what, answer]) => [name, what, path, answer] as const))

/**
 * Mocks the timeout of the next request, so that it fires after the request has arrived and not by the clock.
 * @returns a function that fires the timeout
 */
function limitNext(): () => void {
  const limit = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal)
  return () => limit.abort(new DOMException('The time is over.', 'TimeoutError'))
}

it.each(ofAll(FAILURES))('%s counts as unreachable when it responds with %s', async (name, _, path, answer) => {
  answers = { [path]: answer }
  const error = await refusal(name)
  expect(error).toMatchObject({ status: 503, code: 511, message: 'Temporarily Unavailable.' })
  expect(questions).toHaveLength(1)
})

it.each(ofAll(SILENCE))(
  '%s counts as unreachable when it responds with %s and times out',
  async (name, _, path, answer) => {
    const end = limitNext()
    answers = {
      [path]: (response) => {
        answer(response)
        setTimeout(end, 50)
      },
    }
    const error = await refusal(name, SENT[name], { timeout: 1234 })
    expect(error).toMatchObject({ status: 503, code: 511, message: 'Temporarily Unavailable.' })
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(1234)
    expect(questions).toHaveLength(1)
  },
)

it.each([
  ['weixin', { errcode: -1, errmsg: 'system error' }],
  ['weixin', { errcode: 45009, errmsg: 'reach max api daily quota limit' }],
  ['lc_weapp', { errcode: 45011, errmsg: 'api minute-quota reach limit, must slower, retry next minute' }],
  ['lc_qqapp', { errcode: -1, errmsg: '系统繁忙' }],
  ['weibo', { error: 'IP requests out of rate limit', error_code: 10022 }],
  ['weibo', { error: 'temporarily_unavailable', error_code: 21331 }],
  ['weixin', {}],
  ['qq', {}],
  ['weibo', {}],
  ['lc_weapp', {}],
  ['lc_weapp', { openid: 'w1' }],
] as const)('%s counts as unreachable when it responds with %j', async (name, answer) => {
  answers = { [PATHS[name]]: answer }
  expect(await refusal(name)).toMatchObject({ status: 503, code: 511 })
})

it('logs a platform that gives no usable response, without the data that was sent', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  answers = { [PATHS.lc_weapp]: (response) => response.writeHead(502).end(HTML) }
  await refusal('lc_weapp', SENT.lc_weapp, { log })
  answers = { [PATHS.qq]: limitNext() }
  await refusal('qq', SENT.qq, { log })
  await refusal('weixin', {}, { log })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { platform: 'lc_weapp', reason: 'status 502' },
    { platform: 'qq', reason: 'TimeoutError' },
  ])
  expect(lines.join('')).not.toContain('SECRET')
})

it('sends platform and data to a custom check, signed with the secret', async () => {
  answers = HONEST
  await check('school')
  const body = JSON.stringify({ platform: 'school', data: SENT.school })
  const signature = `sha256=${createHmac('sha256', 'SECRET-3').update(body).digest('hex')}`
  expect(questions).toMatchObject([{ method: 'POST', body }])
  expect(questions[0]!.headers).toMatchObject({ 'content-type': 'application/json', 'x-homeport-signature': signature })
})

it('sends no signature to a custom check without a secret', async () => {
  answers = { '/club': {} }
  await check('club', { uid: 'c1' })
  expect(questions).toMatchObject([{ query: { of: 'us' } }])
  expect(questions[0]!.headers).not.toHaveProperty('x-homeport-signature')
})

it('merges the members in the response of a custom check into those that were sent', async () => {
  answers = { '/club': { uid: 'c2', name: 'Li' } }
  expect(await check('club', { uid: 'c1', kept: 1 })).toEqual({ uid: 'c2', name: 'Li', kept: 1 })
  answers = { '/club': (response) => response.writeHead(204).end() }
  expect(await check('club', { uid: 'c1' })).toEqual({ uid: 'c1' })
})

it.each([400, 403, 404, 429])('rejects data when a custom check responds with status %i', async (status) => {
  answers = { '/school': (response) => response.writeHead(status).end('SECRET') }
  expect(await refusal('school')).toMatchObject({ code: 251, message: expect.stringContaining("'school'") })
})

it("runs a custom check after the platform's check, on its result", async () => {
  answers = { ...HONEST, '/club': { name: 'Li' } }
  const both = { ...settings, endpoints: { lc_weapp: { url: `${url}/club` } } }
  const { lc_weapp: checked } = await checkPlatforms(both, { lc_weapp: SENT.lc_weapp! })
  expect(checked).toMatchObject({ openid: 'w1', name: 'Li' })
  expect(JSON.parse(questions[1]!.body)).toMatchObject({ platform: 'lc_weapp', data: { openid: 'w1' } })

  questions = []
  answers['/weixin/jscode2session'] = { errcode: 40029, errmsg: 'invalid code' }
  await expect(checkPlatforms(both, { lc_weapp: SENT.lc_weapp! })).rejects.toMatchObject({ code: 251 })
  expect(questions.map(({ path }) => path)).toEqual([PATHS.lc_weapp])
})

it('returns data of platforms without a check as sent, whatever their names', async () => {
  const data: PlatformsData = JSON.parse(
    '{"__proto__":{"uid":"1"},"constructor":{"uid":"2"},"github":{"uid":"3"},"lc_weapp":{"openid":"w1","code":"c"}}',
  )
  const none = platformSettings.parse(undefined)
  const checked = await checkPlatforms(none, { ...SENT, ...data, lc_qqapp: { openid: 'q1' } })
  expect(Object.entries(checked)).toEqual(Object.entries({ ...SENT, ...data, lc_qqapp: { openid: 'q1' } }))
  expect(questions).toEqual([])
})

it.each(['lc_weapp', 'lc_qqapp'])('%s: cannot exchange a code without settings', async (name) => {
  const code = checkPlatforms(platformSettings.parse({}), { [name]: SENT[name]! })
  await expect(code).rejects.toMatchObject({ code: 251, message: expect.stringContaining('appId and appSecret') })
})

it('accepts the code of a mini program that a custom check exchanges', async () => {
  answers = { '/club': { openid: 'w1' } }
  const own = platformSettings.parse({ endpoints: { lc_weapp: { url: `${url}/club` } } })
  await expect(checkPlatforms(own, { lc_weapp: { code: 'c' } })).resolves.toEqual({
    lc_weapp: { code: 'c', openid: 'w1' },
  })
})

it('asks the platforms of one request in parallel', async () => {
  const waiting: (() => void)[] = []
  const together = (answer: Json) => (response: ServerResponse) => {
    waiting.push(() => response.end(JSON.stringify(answer)))
    if (waiting.length === 2) for (const say of waiting) say()
  }
  answers = { [PATHS.weixin]: together(HONEST[PATHS.weixin as '/sns/auth']), '/school': together({}) }
  const both = { weixin: SENT.weixin!, school: SENT.school! }
  expect(await checkPlatforms(settings, both)).toEqual(both)
})

it('rejects when one of several checks fails', async () => {
  answers = { ...HONEST, [PATHS.qq]: { error: 100016 } }
  await expect(checkPlatforms(settings, SENT)).rejects.toMatchObject({ code: 251 })
})

// If an app checks any platform, the union id in data of an unchecked one is not trusted.
it.each([
  [false, {}],
  [true, { weibo: {} }],
  [true, { endpoints: { own: { url: 'https://example.org/check' } } }],
])('%s: whether the app checks any platform with the settings %j', (expected, given) => {
  expect(checksAny(platformSettings.parse(given))).toBe(expected)
})
