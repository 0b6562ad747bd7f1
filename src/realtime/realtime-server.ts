import { randomInt } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../log.ts'
import { appOfUrl } from '../realtime-protocol/app-url.ts'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { Connection, type ConnectionOptions, type Origin, type Timeouts } from './connection.ts'
import { LoginQueue } from './login-queue.ts'
import { Turn } from './outgoing.ts'
import { serveAsPlain } from './plain-request.ts'
import { chooseSubprotocol, type Subprotocol, subprotocolOf } from './subprotocol.ts'
import { unreadBytes } from './unread-bytes.ts'

/** Beyond this a frame is not even read to its end, in bytes. What is too long for a command is refused by its connection. */
const MAX_FRAME = 64 * 1024
/** In how many pieces a frame may come, by our reading and by its sender's cutting: each costs more than its bytes. */
const MAX_PIECES = 512
/** Frames of one address that begin in an iteration of the event loop, before those of others. */
const MAX_FRAMES = 256
/** Slices of received bytes of one address that are parsed into frames in an iteration. */
const MAX_SLICES = 256
/** When clients for whom there is no place are to try again, in seconds: not all at once. */
const RETRY = { from: 2, to: 15 } as const
/** How long a client may take to answer a close frame, in milliseconds. */
const CLOSE_TIMEOUT = 5000

const TOO_MANY = 'There are too many connections from this address.'
const PAGE_REFUSED = 'The web origin is none of those that the app allows (security.webOrigins).'

export interface RealtimeServerOptions {
  readonly log: Log
  /** Called for each new connection, before anything is heard from it. */
  readonly onConnection: (connection: Connection) => void
  /** Where handshakes take their turns with logins. */
  readonly logins?: LoginQueue
  /** IP address of the client that sent a handshake; that of its socket unless told, behind which a proxy may be. */
  readonly addressOf?: (request: IncomingMessage) => string
  /** Whether the client that sends a handshake may have one connection more. */
  readonly admit?: (request: IncomingMessage, socket: Duplex) => boolean
  /** The web page that a handshake comes from; undefined where there is none, or none that need be asked about. */
  readonly webOriginOf?: (request: IncomingMessage) => string | undefined
  /** Whether any app lets pages of an origin log in. */
  readonly allowsPage?: (webOrigin: string) => boolean
  /** A client that is online on the connection, if there is one. */
  readonly peerIdOf?: (connection: Connection) => string | undefined
  readonly timeouts?: Partial<Timeouts>
  /** How often timeouts are looked for, in milliseconds. */
  readonly sweepInterval?: number
  /** How much may wait for a client that does not read, in bytes; 4 MB unless told. */
  readonly maxWaiting?: number
  /** How long `stop` waits for clients to go by themselves, and then for their close, in milliseconds. */
  readonly grace?: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/** The WebSocket side of an HTTP server: handshakes, and the connections that came of them. */
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
      outgoing: { turn: new Turn(), maxWaiting, unread: unreadBytes() },
      arrivals: new LoopSlicer(MAX_SLICES),
      frames: new LoopSlicer(MAX_FRAMES),
      now,
    }
    this.#websockets = createWebSockets()
    this.#sweep = setInterval(() => this.#checkTimeouts(), sweepInterval).unref()
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#connections.size
  }

  /**
   * Takes the handshakes that come to a server, whatever their path (protocol/realtime, Server rules that are easy to
   * miss, rule 25). All other requests stay its own.
   */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') serveAsPlain(server, request, socket, head)
      else this.#upgrade(request, socket, head)
    })
  }

  /** Asks all clients to connect again, perhaps to another node (protocol/realtime, goaway). */
  goAway(): void {
    for (const connection of this.#connections) {
      connection.send({ cmd: 'goaway', peerId: this.#options.peerIdOf?.(connection) })
    }
  }

  /** Takes no more connections, asks clients to go, and ends those that stay. */
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
    const webOrigin = webOriginOf(request)
    const subprotocol = subprotocolOf(request.headers['sec-websocket-protocol'], request.url ?? '')
    if (this.#stopping) refuse(socket, '503 Service Unavailable', 'The server stops.')
    else if (!subprotocol) refuse(socket, '400 Bad Request', 'No known subprotocol is offered.')
    else if (!admit(request, socket)) refuse(socket, '429 Too Many Requests', TOO_MANY)
    else if (webOrigin !== undefined && !allowsPage(webOrigin)) refuse(socket, '403 Forbidden', PAGE_REFUSED)
    else {
      const origin = { address: addressOf(request), appId: appOfUrl(request.url ?? ''), webOrigin }
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

  /** Resolves when there are no connections any more, or after some time. */
  #emptied(patience: number): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patience)
      this.#whenEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function createWebSockets(): WebSocketServer {
  // Not in the call itself: some of them are newer than the types of the library.
  const options = {
    noServer: true,
    clientTracking: false,
    // Connections answer pings themselves, all that came in a turn of the event loop at once.
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    closeTimeout: CLOSE_TIMEOUT,
    // Connections check it themselves, for the protocol has a close code of its own for it.
    skipUTF8Validation: true,
    handleProtocols: (offered: Set<string>) => chooseSubprotocol(offered)?.name ?? false,
  }
  const websockets = new WebSocketServer(options)
  websockets.on('wsClientError', (error, socket) => refuse(socket, '400 Bad Request', `${error.message}.`))
  return websockets
}

function retryHeaders(): string[] {
  return [`Retry-After: ${randomInt(RETRY.from, RETRY.to + 1)}`]
}

function refuse(socket: Duplex, status: string, text: string, more: readonly string[] = []): void {
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
