import { randomInt } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../log.ts'
import { appOfUrl } from '../realtime-protocol/app-url.ts'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { makeRequestId } from '../tracing/request-id.ts'
import { Connection, type ConnectionOptions, type Origin, type Timeouts } from './connection.ts'
import { LoginQueue } from './login-queue.ts'
import { FlushQueue } from './outgoing.ts'
import { serveAsPlain } from './plain-request.ts'
import { chooseSubprotocol, type Subprotocol, subprotocolOf } from './subprotocol.ts'
import { unreadBytes } from './unread-bytes.ts'

/** Maximum frame size that is read, in bytes. Frames that are too long for a command are rejected by their connection. */
const MAX_FRAME = 64 * 1024
/** Maximum number of pieces of a frame, both reads and fragments: each piece costs more than its bytes. */
const MAX_PIECES = 512
/** Maximum number of frames of one address that begin in one iteration of the event loop, while others wait. */
const MAX_FRAMES = 256
/** Maximum number of slices of received bytes of one address that are parsed into frames in one iteration. */
const MAX_SLICES = 256
/** When rejected clients may retry, in seconds; random, so that they do not all retry at once. */
const RETRY = { from: 2, to: 15 } as const
/** How long a client may take to answer a close frame, in milliseconds. */
const CLOSE_TIMEOUT = 5000

const TOO_MANY = 'There are too many connections from this address.'
const PAGE_REFUSED = 'The app does not allow this web origin (security.webOrigins).'

export interface RealtimeServerOptions {
  readonly log: Log
  /** Called for each new connection, before any frame is received. */
  readonly onConnection: (connection: Connection) => void
  /** The queue that handshakes share with logins. */
  readonly logins?: LoginQueue
  /** Returns the IP address of the client of a handshake. By default that of its socket, which may be a proxy. */
  readonly addressOf?: (request: IncomingMessage) => string
  /** Returns whether the client of a handshake may open another connection. */
  readonly admit?: (request: IncomingMessage, socket: Duplex) => boolean
  /** Returns the web origin of a handshake; undefined for none, or if it need not be checked. */
  readonly webOriginOf?: (request: IncomingMessage) => string | undefined
  /** Returns whether any app lets pages of an origin log in. */
  readonly allowsPage?: (webOrigin: string) => boolean
  /** Returns a client that is online on the connection, if any. */
  readonly peerIdOf?: (connection: Connection) => string | undefined
  readonly timeouts?: Partial<Timeouts>
  /** How often timeouts are checked, in milliseconds. */
  readonly sweepInterval?: number
  /** Maximum number of bytes that wait for a client that does not read; 4 MB by default. */
  readonly maxWaiting?: number
  /** How long `stop` waits for clients to disconnect, and then for their close frames, in milliseconds. */
  readonly grace?: number
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number
}

/** The WebSocket side of an HTTP server: handshakes and connections. */
export class RealtimeServer {
  readonly #options: RealtimeServerOptions
  readonly #timeouts: Timeouts
  readonly #connectionOptions: ConnectionOptions
  readonly #websockets: WebSocketServer
  readonly #connections = new Set<Connection>()
  readonly #logins: LoginQueue
  readonly #sweep: NodeJS.Timeout
  #stopping = false
  #whenEmpty = () => {}

  constructor(options: RealtimeServerOptions) {
    const { log, timeouts, sweepInterval = 5000, maxWaiting = 4 * 1024 * 1024, now = () => performance.now() } = options
    this.#options = options
    this.#logins = options.logins ?? new LoginQueue()
    this.#timeouts = { login: 30_000, silence: 400_000, ...timeouts }
    this.#connectionOptions = {
      log: log.child({ component: 'realtime' }),
      outgoing: { flushQueue: new FlushQueue(), maxWaiting, unread: unreadBytes() },
      arrivals: new LoopSlicer(MAX_SLICES),
      frames: new LoopSlicer(MAX_FRAMES),
      now,
    }
    this.#websockets = createWebSockets()
    this.#sweep = setInterval(() => this.#checkTimeouts(), sweepInterval).unref()
  }

  /** The number of connections. */
  get connections(): number {
    return this.#connections.size
  }

  /**
   * Handles the WebSocket handshakes of a server, at any path (protocol/realtime, Server rules that are easy to miss, rule 25).
   * The server handles all other requests itself.
   */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') serveAsPlain(server, request, socket, head)
      else this.#upgrade(request, socket, head)
    })
  }

  /** Asks all clients to reconnect, possibly to another node (protocol/realtime, goaway). */
  goAway(): void {
    for (const connection of this.#connections) {
      connection.send({ cmd: 'goaway', peerId: this.#options.peerIdOf?.(connection) })
    }
  }

  /** Accepts no more connections, asks clients to disconnect, and ends the remaining connections. */
  async stop(): Promise<void> {
    const { grace = 1000 } = this.#options
    this.#stopping = true
    this.#logins.clear()
    clearInterval(this.#sweep)
    this.goAway()
    await this.#emptied(grace)
    for (const connection of this.#connections) connection.close(1000, 'the server stops')
    await this.#emptied(grace)
    for (const connection of this.#connections) connection.terminate()
    await this.#emptied(grace)
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', ignore)
    const {
      addressOf = ({ socket }) => socket.remoteAddress ?? '',
      admit = () => true,
      webOriginOf = () => undefined,
      allowsPage = () => true,
    } = this.#options
    const requestId = makeRequestId(request.headers)
    requestIds.set(request, requestId)
    const refuse = (socket: Duplex, status: string, text: string, more: readonly string[] = []) =>
      refuseHandshake(socket, status, text, [`X-Request-Id: ${requestId}`, ...more])
    const webOrigin = webOriginOf(request)
    const subprotocol = subprotocolOf(request.headers['sec-websocket-protocol'], request.url ?? '')
    if (this.#stopping) refuse(socket, '503 Service Unavailable', 'The server stops.')
    else if (!subprotocol) refuse(socket, '400 Bad Request', 'No known subprotocol is offered.')
    else if (!admit(request, socket)) refuse(socket, '429 Too Many Requests', TOO_MANY)
    else if (webOrigin !== undefined && !allowsPage(webOrigin)) refuse(socket, '403 Forbidden', PAGE_REFUSED)
    else {
      const origin = { address: addressOf(request), requestId, appId: appOfUrl(request.url ?? ''), webOrigin }
      this.#logins.shakeHands({
        address: origin.address,
        begin: () =>
          this.#websockets.handleUpgrade(request, socket, head, (websocket) =>
            this.#open(websocket, socket, subprotocol, origin),
          ),
        refuse: () => refuse(socket, '503 Service Unavailable', 'Too many clients come at once.', retryHeaders()),
      })
    }
  }

  #open(websocket: WebSocket, socket: Duplex, subprotocol: Subprotocol, origin: Origin): void {
    const connection = new Connection(websocket, socket, subprotocol, origin, this.#connectionOptions)
    this.#connections.add(connection)
    websocket.once('close', () => {
      this.#connections.delete(connection)
      if (this.#connections.size === 0) this.#whenEmpty()
    })
    this.#options.onConnection(connection)
  }

  #checkTimeouts(): void {
    const now = this.#connectionOptions.now()
    for (const connection of this.#connections) connection.checkTimeouts(this.#timeouts, now)
  }

  /** Resolves when there are no connections left, or after a time. */
  #emptied(timeoutMs: number): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#whenEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function createWebSockets(): WebSocketServer {
  // Declared separately, because the types of the library lack some of them.
  const options = {
    noServer: true,
    clientTracking: false,
    // Connections answer pings themselves, all pings of an event-loop iteration at once.
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    closeTimeout: CLOSE_TIMEOUT,
    // Connections validate it themselves, because the protocol has its own close code for it.
    skipUTF8Validation: true,
    handleProtocols: (offered: Set<string>) => chooseSubprotocol(offered)?.name ?? false,
  }
  const websockets = new WebSocketServer(options)
  websockets.on('wsClientError', (error, socket, request) =>
    refuseHandshake(socket, '400 Bad Request', `${error.message}.`, requestIdHeaders(request)),
  )
  websockets.on('headers', (headers, request) => void headers.push(...requestIdHeaders(request)))
  return websockets
}

function retryHeaders(): string[] {
  return [`Retry-After: ${randomInt(RETRY.from, RETRY.to + 1)}`]
}

/** The request ids of handshakes in progress. */
const requestIds = new WeakMap<IncomingMessage, string>()

function requestIdHeaders(request: IncomingMessage): string[] {
  const id = requestIds.get(request)
  return id === undefined ? [] : [`X-Request-Id: ${id}`]
}

function refuseHandshake(socket: Duplex, status: string, text: string, more: readonly string[] = []): void {
  const body = JSON.stringify({ code: 1, error: text })
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Sec-WebSocket-Version: 13',
    'Connection: close',
    ...more,
  ]
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}

function ignore(): void {}
