import { type KeyObject, verify } from 'node:crypto'
import { once } from 'node:events'
import {
  constants,
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { JsonObject } from '../../src/values/json.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './stand-in-certificate.ts'

/** A push that passed all checks. */
interface ReceivedPush {
  readonly token: string
  readonly headers: IncomingHttpHeaders
  readonly payload: JsonObject
}

/** The pushes of a device. */
interface ApplesDevice {
  /** The number of pushes sent to it, whatever the outcome. */
  received: number
  /** The notifications it would show: the collapse ids of accepted pushes, each once. */
  readonly shown: string[]
}

export type ApplesReply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: JsonObject }
  /** It never responds. */
  | 'hang'
  /** The stream is reset. */
  | 'reset'
  /** The connection is closed. */
  | 'cut'
  /** The connection accepts no pushes from this one on (GOAWAY); earlier ones still get responses. */
  | 'go away'

interface ApplesKey {
  readonly teamId: string
  readonly publicKey: KeyObject
}

/** A server on this machine that checks pushes as Apple does, and responds as configured by the test. */
export interface StandInApns {
  readonly url: string
  /** The certificate to trust. */
  readonly trusted: string
  /** The accepted signing keys, by id. */
  readonly keys: Map<string, ApplesKey>
  /** By token. */
  readonly devices: Map<string, ApplesDevice>
  /** The first pushes, at most 2000. */
  readonly pushes: ReceivedPush[]
  /** The distinct provider tokens received. */
  readonly tokens: Set<string>
  /** The number of connections so far, and of those with a client certificate. */
  connections: number
  certificates: number
  /** The response to a valid push; undefined: 200. */
  reply: (push: ReceivedPush) => ApplesReply | undefined
  stop(): Promise<void>
}

export interface StandInApnsOptions {
  /** 0 for any free port. */
  readonly port?: number
  /** Maximum number of concurrent streams per connection. */
  readonly streams?: number
}

const MAX_PUSHES = 2000
const ACCEPTED = { status: 200 }

export async function startStandInApns({ port = 0, streams = 1000 }: StandInApnsOptions = {}): Promise<StandInApns> {
  const sessions = new Set<Http2Session>()
  /** Sessions with a client certificate. */
  const certified = new Set<Http2Session>()
  /** The faults of provider tokens. */
  const checked = new Map<string, string | null>()
  /** By remote port. */
  const sockets = new Map<number, Socket>()
  const server = createSecureServer({
    cert: CERTIFICATE,
    key: CERTIFICATE_KEY,
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: streams },
  })
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort!
    sockets.set(port, socket)
    socket.on('close', () => sockets.delete(port))
  })
  server.on('session', (session) => {
    sessions.add(session)
    apns.connections++
    if ((session.socket as TLSSocket).getPeerX509Certificate()) certified.add(session)
    apns.certificates = certified.size
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
    stream.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      answer(stream, handle(stream, headers, body))
    })
  })

  const handle = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer): ApplesReply => {
    const token = headers[':path']!.slice('/3/device/'.length)
    const device = apns.devices.get(token) ?? { received: 0, shown: [] }
    apns.devices.set(token, device)
    device.received++
    const fault = faultOf(headers, body) ?? tokenFault(stream, headers)
    if (fault) return { status: fault.status, body: { reason: fault.reason } }
    const push = { token, headers, payload: JSON.parse(body.toString()) as JsonObject }
    if (apns.pushes.length < MAX_PUSHES) apns.pushes.push(push)
    const reply = apns.reply(push) ?? ACCEPTED
    if (typeof reply === 'object' && reply.status === 200)
      show(device, String(headers['apns-collapse-id'] ?? headers['apns-id']))
    return reply
  }
  const tokenFault = (stream: ServerHttp2Stream, { authorization }: IncomingHttpHeaders): Fault | null => {
    if (authorization === undefined)
      return certified.has(stream.session!) ? null : { status: 403, reason: 'MissingProviderToken' }
    apns.tokens.add(authorization)
    // Each token is checked once: a million devices send the same one.
    if (!checked.has(authorization)) checked.set(authorization, providerTokenFault(authorization, apns.keys))
    const reason = checked.get(authorization)
    return reason ? { status: 403, reason } : null
  }
  const answer = (stream: ServerHttp2Stream, reply: ApplesReply): void => {
    if (stream.destroyed) return
    switch (reply) {
      case 'hang':
        return
      case 'reset':
        return void stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      case 'cut':
        return void sockets.get(stream.session!.socket.remotePort!)?.destroy()
      case 'go away':
        return void stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id! - 2)
      default:
        stream.respond({ ':status': reply.status, ...reply.headers }, { endStream: !reply.body })
        if (reply.body) stream.end(JSON.stringify(reply.body))
    }
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const apns: StandInApns = {
    // An IP address, because Node waits a quarter of a second for each but the last address of a name.
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trusted: CERTIFICATE,
    keys: new Map(),
    devices: new Map(),
    pushes: [],
    tokens: new Set(),
    connections: 0,
    certificates: 0,
    reply: () => undefined,
    async stop() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return apns
}

function show({ shown }: ApplesDevice, id: string): void {
  if (!shown.includes(id)) shown.push(id)
}

interface Fault {
  readonly status: number
  readonly reason: string
}

/** The format of each header, and Apple's error when it does not match. */
const HEADER_RULES: readonly (readonly [header: string, rule: RegExp, reason: string])[] = [
  ['apns-topic', /^[\w.-]+$/, 'MissingTopic'],
  ['apns-id', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'BadMessageId'],
  ['apns-expiration', /^\d+$/, 'BadExpirationDate'],
  ['apns-priority', /^(1|5|10)$/, 'BadPriority'],
  ['apns-collapse-id', /^.{1,64}$/, 'BadCollapseId'],
  ['apns-push-type', /^(alert|background|voip|complication|fileprovider|mdm)$/, 'InvalidPushType'],
]

function faultOf(headers: IncomingHttpHeaders, body: Buffer): Fault | null {
  if (headers[':method'] !== 'POST') return { status: 405, reason: 'MethodNotAllowed' }
  if (!headers[':path']!.startsWith('/3/device/')) return { status: 404, reason: 'BadPath' }
  if (!/^\/3\/device\/[0-9a-fA-F]{64}$/.test(headers[':path']!)) return { status: 400, reason: 'BadDeviceToken' }
  for (const [header, rule, reason] of HEADER_RULES)
    if (!rule.test(String(headers[header] ?? ''))) return { status: 400, reason }
  if (headers['apns-push-type'] === 'background' && headers['apns-priority'] === '10')
    return { status: 400, reason: 'BadPriority' }
  if (body.length === 0) return { status: 400, reason: 'PayloadEmpty' }
  const maxBytes = headers['apns-push-type'] === 'voip' ? 5120 : 4096
  return body.length > maxBytes ? { status: 413, reason: 'PayloadTooLarge' } : null
}

/** Returns the fault of a provider's JSON Web Token; null when it is valid. */
function providerTokenFault(authorization: string, keys: StandInApns['keys']): string | null {
  const [, head = '', claims = '', signature = ''] = /^bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization) ?? []
  if (signature === '') return 'InvalidProviderToken'
  const { alg, kid } = partOf(head)
  const { iss, iat } = partOf(claims)
  const key = keys.get(String(kid))
  if (alg !== 'ES256' || !key || key.teamId !== iss || typeof iat !== 'number') return 'InvalidProviderToken'
  const publicKey = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
    return 'InvalidProviderToken'
  return Math.abs(Date.now() / 1000 - iat) > 3600 ? 'ExpiredProviderToken' : null
}

function partOf(text: string): JsonObject {
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}
