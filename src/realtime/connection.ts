import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { addressKey } from '../limits/address-key.ts'
import type { Log } from '../log.ts'
import { decode, type Encoding, encode, UnparseableFrame } from '../realtime-protocol/codec.ts'
import { frameOf } from '../realtime-protocol/frame.ts'
import type { ErrorCommand, GenericCommand } from '../realtime-protocol/schema.ts'
import type { SharedCommand } from '../realtime-protocol/shared-command.ts'
import type { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { makeRequestId } from '../tracing/request-id.ts'
import { Arrivals } from './arrivals.ts'
import { type Frame, Inbox, Ping } from './inbox.ts'
import { Outgoing, type OutgoingOptions } from './outgoing.ts'
import type { Subprotocol } from './subprotocol.ts'

/**
 * Maximum size of a client's frame, in bytes. A message has at most 5 KB including push data (protocol/realtime, Message size);
 * the rest is for its envelope, its mentions and base64.
 */
const MAX_FRAME = 16 * 1024

const OF_ANOTHER_APP = {
  code: 4100,
  reason: 'APP_NOT_AVAILABLE',
  detail: 'the connection belongs to another app',
} as const

/**
 * Maximum number of frames after our close, which may already have been in transit. A client that sends more ignores the close.
 */
const MAX_LATE = 200

/** Times in milliseconds. */
export interface Timeouts {
  /** Maximum time until a client names its app, as logins do. */
  readonly login: number
  /** Maximum time without data from a client; clients send a keep-alive every 180 s. */
  readonly silence: number
}

/** The parts that all connections of a server share. */
export interface ConnectionOptions {
  readonly log: Log
  readonly outgoing: OutgoingOptions
  /** Slices received bytes. */
  readonly arrivals: LoopSlicer
  /** Slices the frames in them. */
  readonly frames: LoopSlicer
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
}

type CommandListener = (command: GenericCommand) => void | Promise<void>
/** The error codes of requests in progress, by their number. */
type Codes = Map<number | undefined, number | undefined>
type CloseListener = (code: number) => void

/** The origin of a handshake. */
export interface Origin {
  /** IP address */
  readonly address: string
  /** The id of its request; a new one when omitted. */
  readonly requestId?: string
  /** The app that its URL names; null for none. */
  readonly appId: string | null
  /** The origin of its web page, if apps restrict origins. */
  readonly webOrigin?: string | undefined
}

/**
 * One socket that receives and sends commands. Several clients of one app may share it (protocol/realtime, Connection life
 * cycle). It answers pings itself, instead of the WebSocket object (`autoPong`).
 */
export class Connection {
  /** The request id of its handshake, which log lines contain. */
  readonly id: string
  readonly version: 1 | 3
  readonly encoding: Encoding
  readonly remoteAddress: string
  /** The app that the URL of the handshake names, for clients that do not name it in commands. */
  readonly appOfUrl: string | null
  /** The origin of the web page that has opened the connection, if any. */
  readonly webOrigin: string | undefined
  readonly #websocket: WebSocket
  readonly #options: ConnectionOptions
  readonly #inbox: Inbox
  readonly #outgoing: Outgoing
  readonly #opened: number
  #lastReceived: number
  #appId: string | null = null
  #commandListener: CommandListener = () => {}
  #isAnswered: (command: GenericCommand) => boolean = () => true
  readonly #closeListeners = new Set<CloseListener>()
  #closeCode: number | null = null
  /** null unless commands are logged. */
  readonly #codes: Codes | null
  /** Number of frames received after the close. */
  #late = 0

  constructor(
    websocket: WebSocket,
    socket: Duplex,
    subprotocol: Subprotocol,
    origin: Origin,
    options: ConnectionOptions,
  ) {
    this.id = origin.requestId ?? makeRequestId({})
    this.version = subprotocol.version
    this.encoding = subprotocol.encoding
    this.remoteAddress = origin.address
    this.appOfUrl = origin.appId
    this.webOrigin = origin.webOrigin
    this.#websocket = websocket
    this.#options = options
    this.#codes = options.log.isLevelEnabled('debug') ? new Map() : null
    this.#opened = options.now()
    this.#lastReceived = this.#opened
    const address = addressKey(origin.address)
    const arrivals = new Arrivals(socket, options.arrivals, address)
    this.#inbox = new Inbox(arrivals, (frame) => this.#take(frame), options.frames, address)
    this.#outgoing = new Outgoing(websocket, socket, address, options.outgoing, () => this.#cutOff())
    websocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    websocket.on('ping', (content) => this.#receivePing(content))
    websocket.on('pong', () => this.#noteReceived())
    websocket.on('close', (code) => this.#end(code))
    websocket.on('error', (error) => this.#lose(error))
  }

  /** The app that the connection belongs to, named by its first command with an app. */
  get appId(): string | null {
    return this.#appId
  }

  /** Assigns the app of a connection whose commands name none. */
  belongTo(appId: string): void {
    this.#appId ??= appId
  }

  /** The log for all parts that serve the connection. */
  get log(): Log {
    return this.#options.log
  }

  get closed(): boolean {
    return this.#closeCode !== null
  }

  /**
   * Sets the listener for commands. They arrive in order; the next one may arrive before the promise of the previous one is
   * fulfilled. If it throws, the client is sent an internal error.
   * @param isAnswered returns whether clients expect a response to a command, or an error
   */
  onCommand(listener: CommandListener, isAnswered: (command: GenericCommand) => boolean = () => true): void {
    this.#commandListener = listener
    this.#isAnswered = isAnswered
  }

  /**
   * Adds a listener for the end of the connection, after which nothing is received or sent. Calls it immediately if the
   * connection has ended already. The listener gets the code of the close: ours if the server closed it, else the client's; 1006
   * when the connection was lost or cut off.
   * @returns a function that removes the listener
   */
  onClose(listener: CloseListener): () => void {
    if (this.#closeCode === null) this.#closeListeners.add(listener)
    else listener(this.#closeCode)
    return () => void this.#closeListeners.delete(listener)
  }

  /** Whether the client reads too slowly, so that dispensable messages should be skipped. */
  get hasBacklog(): boolean {
    return this.#outgoing.hasBacklog
  }

  /**
   * Sends a command at the end of the event-loop iteration; does nothing when the connection is closed.
   * @throws Error when the command does not match the schema
   */
  send(command: GenericCommand): void {
    if (this.#codes) noteCode(this.#codes, command)
    if (!this.closed) this.#outgoing.write(frameOf(encode(command, this.encoding)))
  }

  /**
   * Sends one client its copy of a command with many receivers.
   * @param peerId null for a client that needs no id in it
   */
  sendShared(command: SharedCommand, peerId: string | null): void {
    if (this.closed) return
    if (this.encoding === 'protobuf') this.#outgoing.writeShared(command, peerId)
    else this.send(command.commandFor(peerId))
  }

  /**
   * Rejects a command with an error of its `service`, where clients for Java expect it. A command without `i` expects no
   * response, and must not get one (protocol/realtime, Server rules that are easy to miss).
   */
  refuse(command: GenericCommand, errorMessage: ErrorCommand): void {
    const { i, peerId, service } = command
    if (i !== undefined && this.#isAnswered(command)) this.send({ cmd: 'error', i, peerId, service, errorMessage })
  }

  /** Sends pending frames immediately instead of at the end of the iteration. */
  flush(): void {
    if (!this.closed) this.#outgoing.flush()
  }

  /**
   * Sends pending frames, and closes the connection.
   * @param reason at most 123 bytes; clients show it as the text of their error for codes after which they do not reconnect
   */
  close(code: number, reason: string): void {
    if (this.closed) return
    this.#outgoing.flush()
    this.#websocket.close(code, reason)
    this.#end(code)
  }

  /** Destroys the connection without a close frame. */
  terminate(): void {
    this.#outgoing.end()
  }

  /**
   * Closes the connection of a client that has sent nothing for too long (protocol/realtime, Keep-alive; protocol/realtime, Close
   * codes and client reactions).
   * @param now by the clock of the connection
   */
  checkTimeouts({ login, silence }: Timeouts, now: number): void {
    if (now - this.#lastReceived > silence) this.close(4107, 'READ_TIMEOUT')
    else if (this.#appId === null && now - this.#opened > login) this.close(4108, 'LOGIN_TIMEOUT')
  }

  #noteReceived(): void {
    this.#lastReceived = this.#options.now()
  }

  #receivePing(content: Buffer): void {
    this.#noteReceived()
    if (!this.closed) this.#inbox.add(new Ping(content))
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.closed) {
      if (++this.#late > MAX_LATE) this.terminate()
      return
    }
    this.#noteReceived()
    if (data.length > MAX_FRAME) this.close(4109, 'FRAME_TOO_LONG')
    else if (isBinary) this.#inbox.add(data)
    else if (isUtf8(data)) this.#inbox.add(data.toString())
    else this.#refuseFrame('the text is no UTF-8')
  }

  #take(frame: Frame): void | Promise<void> {
    if (frame instanceof Ping) return this.#outgoing.pong(frame.content)
    // The keep-alive of clients that use JSON (protocol/realtime, JSON subprotocol (lc.json.3, C# LiveQuery)).
    if (this.encoding === 'json' && frame === '{}') return this.#outgoing.write(frameOf('{}'))
    let command: GenericCommand
    try {
      command = decode(frame, this.encoding)
    } catch (error) {
      return this.#refuseFrame(error instanceof UnparseableFrame ? error.message : 'unknown')
    }
    // The keep-alive of other clients. One without `i` gets a response without it (protocol/realtime, Keep-alive).
    if (command.cmd === 'echo') return this.send({ cmd: 'echo', i: command.i })
    return this.#perform(command)
  }

  #perform(command: GenericCommand): void | Promise<void> {
    return this.#codes ? this.#performLogged(command, this.#codes) : this.#performPlain(command)
  }

  #performPlain(command: GenericCommand): void | Promise<void> {
    this.#appId ??= command.appId ?? null
    if (command.appId !== undefined && command.appId !== this.#appId) {
      return this.refuse(command, OF_ANOTHER_APP)
    }
    try {
      return this.#commandListener(command)?.catch((error) => this.#fail(command, error))
    } catch (error) {
      return this.#fail(command, error)
    }
  }

  /** Performs a command, then logs its kind and its outcome, without its content. */
  async #performLogged(command: GenericCommand, codes: Codes): Promise<void> {
    const started = this.#options.now()
    const { cmd, op, i } = command
    codes.set(i, undefined)
    await this.#performPlain(command)
    const code = codes.get(i)
    codes.delete(i)
    const milliseconds = Math.round((this.#options.now() - started) * 10) / 10
    this.#options.log.debug({ ...this.#about(), cmd, op, i, code, milliseconds }, 'command completed')
  }

  #refuseFrame(fault: string): void {
    this.#options.log.debug({ ...this.#about(), fault }, 'frame not readable')
    this.close(4114, 'UNPARSEABLE_RAW_MESSAGE')
  }

  #fail({ cmd, op, i, peerId, service }: GenericCommand, error: unknown): void {
    this.#options.log.error({ ...this.#about(), cmd, op, i, error }, 'command failed unexpectedly')
    this.refuse({ cmd, op, i, peerId, service }, { code: 4200, reason: 'INTERNAL_ERROR' })
  }

  /** Handles a violation of the WebSocket protocol; the library has closed the connection. */
  #lose(error: Error): void {
    this.#options.log.debug({ ...this.#about(), error: error.message }, 'connection error')
    this.#end(1006)
  }

  #cutOff(): void {
    this.#options.log.warn(this.#about(), 'slow client disconnected')
    this.#end(1006)
  }

  #end(code: number): void {
    if (this.#closeCode !== null) return
    this.#closeCode = code
    this.#inbox.clear()
    for (const listener of this.#closeListeners) this.#callListener(listener, code)
    this.#closeListeners.clear()
  }

  /** Calls a listener so that its error does not affect others: connections also end during deliveries to many clients. */
  #callListener(listener: CloseListener, code: number): void {
    try {
      listener(code)
    } catch (error) {
      this.#options.log.error({ ...this.#about(), error }, 'closing connection failed')
    }
  }

  #about(): object {
    return { requestId: this.id, app: this.#appId }
  }
}

function noteCode(codes: Codes, { i, errorMessage, ackMessage }: GenericCommand): void {
  if (i !== undefined && codes.has(i)) codes.set(i, errorMessage?.code ?? ackMessage?.code)
}
