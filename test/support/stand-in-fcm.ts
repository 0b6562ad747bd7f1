import { generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  constants,
  createServer as createHttp2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../../src/values/json.ts'

/** The messages of a device. */
interface GooglesDevice {
  /** The number of messages sent to it, whatever the outcome. */
  received: number
  /** The notifications it would show: the tags of accepted messages, each once. */
  readonly shown: string[]
}

export type GooglesReply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: JsonObject | string }
  /** It never responds. */
  | 'hang'
  /** The connection is closed. */
  | 'cut'

/**
 * A token server (HTTP/1.1) and a push server (HTTP/2 without TLS) on this machine that check requests as Google's do, and
 * respond as configured by the test.
 */
export interface StandInFcm {
  /** The settings of a generated service account. */
  readonly settings: {
    readonly projectId: string
    readonly clientEmail: string
    readonly privateKey: string
    readonly tokenUrl: string
    readonly url: string
  }
  /** By token. */
  readonly devices: Map<string, GooglesDevice>
  /** The first valid messages, at most 2000. */
  readonly messages: JsonObject[]
  /** The number of requested access tokens. */
  exchanges: number
  /** The reported lifetime of access tokens, in seconds. */
  lifetime: number
  /** Returns its time, in milliseconds since the epoch. */
  now: () => number
  /** The expiry of access tokens, in milliseconds since the epoch. */
  readonly tokens: Map<string, number>
  /** The response to a valid token exchange; undefined: a token. */
  tokenReply: () => { readonly status: number; readonly body: JsonObject } | undefined
  /** The response to a valid message; undefined: 200. */
  reply: (token: string, message: JsonObject) => GooglesReply | undefined
  stop(): Promise<void>
}

const MAX_MESSAGES = 2000
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ERROR_TYPE = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const PROJECT = 'stand-in-project'
const EMAIL = 'push@stand-in-project.iam.example.com'

/** Returns an FCM error: `status` is the general code, `errorCode` that of FCM. */
export function fcmError(code: number, status: string, errorCode?: string): GooglesReply {
  const details = errorCode === undefined ? [] : [{ '@type': ERROR_TYPE, errorCode }]
  return { status: code, body: { error: { code, message: 'No.', status, details } } }
}

export async function startStandInFcm(): Promise<StandInFcm> {
  const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const sessions = new Set<Http2Session>()
  const tokenServer = createServer((request, response) => void exchange(request, response).catch(() => response.end()))
  const pushServer = createHttp2Server({ settings: { maxConcurrentStreams: 100 } })
  pushServer.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  pushServer.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    text(stream).then(
      (body) => answer(stream, handle(headers, body)),
      () => {},
    )
  })

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    fcm.exchanges++
    const answer = (status: number, body: JsonObject) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method !== 'POST' || request.url !== '/token') return answer(404, {})
    if (form.get('grant_type') !== GRANT) return answer(400, { error: 'unsupported_grant_type' })
    if (!holds(form.get('assertion') ?? '')) return answer(400, { error: 'invalid_grant' })
    const reply = fcm.tokenReply()
    if (reply) return answer(reply.status, reply.body)
    const token = `ya29.${randomBytes(60).toString('base64url')}`
    fcm.tokens.set(token, fcm.now() + fcm.lifetime * 1000)
    answer(200, { access_token: token, expires_in: fcm.lifetime, token_type: 'Bearer' })
  }
  /** Returns whether a JSON Web Token has a valid signature, audience, scope and lifetime. */
  const holds = (assertion: string): boolean => {
    const [head = '', claims = '', signature = ''] = assertion.split('.')
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), account.publicKey, Buffer.from(signature, 'base64url')))
      return false
    const { iss, aud, scope, iat, exp } = partOf(claims)
    const now = fcm.now() / 1000
    const inTime = Number(iat) <= now + 60 && Number(exp) > now && Number(exp) - Number(iat) <= 3600
    const { tokenUrl } = fcm.settings
    return partOf(head).alg === 'RS256' && iss === EMAIL && aud === tokenUrl && scope === SCOPE && inTime
  }
  const handle = (headers: IncomingHttpHeaders, body: string): GooglesReply => {
    const { message } = JSON.parse(body) as { message?: { token?: string } & JsonObject }
    const token = message?.token
    if (typeof token !== 'string') return fcmError(400, 'INVALID_ARGUMENT')
    const device = fcm.devices.get(token) ?? { received: 0, shown: [] }
    fcm.devices.set(token, device)
    device.received++
    if (headers[':method'] !== 'POST' || headers[':path'] !== `/v1/projects/${PROJECT}/messages:send`)
      return fcmError(404, 'NOT_FOUND')
    const until = fcm.tokens.get(String(headers.authorization).replace('Bearer ', ''))
    if (until === undefined || until < fcm.now()) return fcmError(401, 'UNAUTHENTICATED')
    if (headers['content-type'] !== 'application/json' || !isWellFormed(message!))
      return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')
    if (fcm.messages.length < MAX_MESSAGES) fcm.messages.push(message!)
    const reply = fcm.reply(token, message!) ?? { status: 200, body: { name: `projects/${PROJECT}/messages/1` } }
    if (typeof reply === 'object' && reply.status === 200) show(device, tagOf(message!) ?? 'untagged')
    return reply
  }

  tokenServer.listen(0, '127.0.0.1')
  pushServer.listen(0, '127.0.0.1')
  await Promise.all([once(tokenServer, 'listening'), once(pushServer, 'listening')])
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
  const fcm: StandInFcm = {
    settings: {
      projectId: PROJECT,
      clientEmail: EMAIL,
      privateKey: account.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      tokenUrl: `http://127.0.0.1:${portOf(tokenServer)}/token`,
      url: `http://127.0.0.1:${portOf(pushServer)}`,
    },
    devices: new Map(),
    messages: [],
    exchanges: 0,
    lifetime: 3600,
    now: Date.now,
    tokens: new Map(),
    tokenReply: () => undefined,
    reply: () => undefined,
    async stop() {
      for (const session of sessions) session.destroy()
      tokenServer.closeAllConnections()
      tokenServer.close()
      pushServer.close()
      await Promise.all([once(tokenServer, 'close'), once(pushServer, 'close')])
    },
  }
  return fcm
}

/** Returns whether a message is valid: FCM accepts no other members, only strings as data, and lifetimes in seconds. */
function isWellFormed(message: JsonObject): boolean {
  const known = ['token', 'notification', 'data', 'android', 'fcm_options']
  const { data = {}, android = {} } = message as { data?: JsonObject; android?: JsonObject }
  const texts = Object.values(data).every((value) => typeof value === 'string')
  const ttl = android.ttl === undefined || /^\d+s$/.test(String(android.ttl))
  return Object.keys(message).every((key) => known.includes(key)) && texts && ttl
}

function show({ shown }: GooglesDevice, tag: string): void {
  if (!shown.includes(tag)) shown.push(tag)
}

function tagOf({ android }: JsonObject): string | undefined {
  return (android as { notification?: { tag?: string } } | undefined)?.notification?.tag
}

function partOf(text: string): JsonObject {
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}

function answer(stream: ServerHttp2Stream, reply: GooglesReply): void {
  if (stream.destroyed || reply === 'hang') return
  if (reply === 'cut') return void stream.session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR)
  stream.respond({ ':status': reply.status, 'content-type': 'application/json', ...reply.headers })
  stream.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
}
