import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { addressKey } from '../limits/address-key.ts'
import type { Log } from '../log.ts'
import { decode, type Encoding, encode, UnparseableFrame } from '../realtime-protocol/codec.ts'
import { frameOf } from '../realtime-protocol/frame.ts'
import type { ErrorCommand, GenericCommand } from '../realtime-protocol/schema.ts'
import type { SharedCommand } from '../realtime-protocol/shared-command.ts'
import type { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { Arrivals } from './arrivals.ts'
import { type Frame, Inbox, Ping } from './inbox.ts'
import { Outgoing, type OutgoingOptions } from './outgoing.ts'
import type { Subprotocol } from './subprotocol.ts'

/**
 * The longest frame of a client, in bytes. A message may have 5 KB, push data included (protocol/realtime, Message
 * size); the rest is for its envelope, its mentions and base64.
 */
const MAX_FRAME = 16 * 1024

const OF_ANOTHER_APP = {
  code: 4100,
  reason: 'APP_NOT_AVAILABLE',
  detail: 'the connection belongs to another app',
} as const

/** So many frames may be on their way when we close; who goes on sending does not mean to hear of it. */
const MAX_LATE = 200

/** Times in milliseconds. */
export interface Timeouts {
  /** How long a client may take until it names its app, as it does when it logs in. */
  readonly login: number
  /** How long a client may say nothing; clients give a sign of life every 180 s. */
  readonly silence: number
}

/** What all connections of a server have in common. */
export interface ConnectionOptions {
  readonly log: Log
  readonly outgoing: OutgoingOptions
  /** Slices the bytes that arrive, … */
  readonly arrivals: LoopSlicer
  /** … and the frames in them. */
  readonly frames: LoopSlicer
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number
}

type CommandListener = (command: GenericCommand) => void | Promise<void>
/** What the requests that are being performed were refused with, by their number. */
type Codes = Map<number | undefined, number | undefined>
type CloseListener = (code: number) => void

/** What a handshake says of who sent it. */
export interface Origin {
  /** IP address */
  readonly address: string
  /** The app that its URL names; null where it names none */
  readonly appId: string | null
  /** The web page that it comes from, if an app may want to know it */
  readonly webOrigin?: string | undefined
}

/**
 * One socket: commands come in, commands go out. Several clients of one app may share it (protocol/realtime, Connection
 * life cycle). Pings are answered here, and not by the WebSocket object (`autoPong`).
 */
export class Connection {
  readonly id = randomUUID()
  readonly version: 1 | 3
  readonly encoding: Encoding
  readonly remoteAddress: string
  /** The app that the URL of the handshake names, for clients that never name it themselves. */
  readonly appOfUrl: string | null
  /** The origin of the web page that has opened it, if there is one. */
  readonly webOrigin: string | undefined
  readonly #websocket: WebSocket
  readonly #options: ConnectionOptions
  readonly #inbox: Inbox
  readonly #outgoing: Outgoing
  readonly #opened: number
  #lastHeard: number
  #appId: string | null = null
  #commandListener: CommandListener = () => {}
  #isAnswered: (command: GenericCommand) => boolean = () => true
  readonly #closeListeners = new Set<CloseListener>()
  #closeCode: number | null = null
  /** null unless commands are logged */
  readonly #codes: Codes | null
  /** Frames that came after the close. */
  #late = 0

  constructor(
    websocket: WebSocket,
    socket: Duplex,
    subprotocol: Subprotocol,
    origin: Origin,
    options: ConnectionOptions,
  ) {
    this.version = subprotocol.version
    this.encoding = subprotocol.encoding
    this.remoteAddress = origin.address
    this.appOfUrl = origin.appId
    this.webOrigin = origin.webOrigin
    this.#websocket = websocket
    this.#options = options
    this.#codes = options.log.isLevelEnabled('debug') ? new Map() : null
    this.#opened = options.now()
    this.#lastHeard = this.#opened
    const address = addressKey(origin.address)
    const arrivals = new Arrivals(socket, options.arrivals, address)
    this.#inbox = new Inbox(arrivals, (frame) => this.#take(frame), options.frames, address)
    this.#outgoing = new Outgoing(websocket, socket, address, options.outgoing, () => this.#cutOff())
    websocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    websocket.on('ping', (content) => this.#receivePing(content))
    websocket.on('pong', () => this.#hear())
    websocket.on('close', (code) => this.#end(code))
    websocket.on('error', (error) => this.#lose(error))
  }

  /** The app that the connection belongs to: the one that its first command with an app named. */
  get appId(): string | null {
    return this.#appId
  }

  /** To be called when the app of a connection becomes known that has named none. */
  belongTo(appId: string): void {
    this.#appId ??= appId
  }

  /** Where those write who serve the connection. */
  get log(): Log {
    return this.#options.log
  }

  get closed(): boolean {
    return this.#closeCode !== null
  }

  /**
   * Sets what is done for commands. They come in their order; the next one may come before the promise of the one before
   * is fulfilled. When it throws, the client is told that the server failed.
   * @param isAnswered whether clients expect a response to a command, or an error
   */
  onCommand(listener: CommandListener, isAnswered: (command: GenericCommand) => boolean = () => true): void {
    this.#commandListener = listener
    this.#isAnswered = isAnswered
  }

  /**
   * Adds what is done as soon as nothing more is heard from this client or said to it; at once when that is so already.
   * The listener gets the code of the close: ours when we closed it, else the client's; 1006 when the connection was lost
   * or cut off.
   * @returns what takes it back
   */
  onClose(listener: CloseListener): () => void {
    if (this.#closeCode === null) this.#closeListeners.add(listener)
    else listener(this.#closeCode)
    return () => void this.#closeListeners.delete(listener)
  }

  /** The client does not keep up with what it is sent: what it can do without is better left out. */
  get isBehind(): boolean {
    return this.#outgoing.isBehind
  }

  /**
   * Sends a command when the event loop's turn ends; nothing when the connection is closed.
   * @throws Error when the command is not what the schema declares
   */
  send(command: GenericCommand): void {
    if (this.#codes) noteCode(this.#codes, command)
    if (!this.closed) this.#outgoing.write(frameOf(encode(command, this.encoding)))
  }

  /**
   * Sends one client its copy of a command that goes to many.
   * @param peerId null for a client that needs no id in it
   */
  sendShared(command: SharedCommand, peerId: string | null): void {
    if (this.closed) return
    if (this.encoding === 'protobuf') this.#outgoing.writeShared(command, peerId)
    else this.send(command.commandFor(peerId))
  }

  /**
   * Refuses a command with an error, of the service that it named: clients for Java look for it there. A command without
   * `i` waits for no response, and must not get one (protocol/realtime, Server rules that are easy to miss).
   */
  refuse(command: GenericCommand, errorMessage: ErrorCommand): void {
    const { i, peerId, service } = command
    if (i !== undefined && this.#isAnswered(command)) this.send({ cmd: 'error', i, peerId, service, errorMessage })
  }

  /** Sends at once what waits for the end of the turn. */
  flush(): void {
    if (!this.closed) this.#outgoing.flush()
  }

  /**
   * Sends what still waits, and closes the connection.
   * @param reason at most 123 bytes; the text of the client's error for codes after which it does not connect again
   */
  close(code: number, reason: string): void {
    if (this.closed) return
    this.#outgoing.flush()
    this.#websocket.close(code, reason)
    this.#end(code)
  }

  /** Ends the connection without a word. */
  terminate(): void {
    this.#outgoing.end()
  }

  /**
   * Closes the connection of a client that has said nothing for too long (protocol/realtime, Keep-alive;
   * protocol/realtime, Close codes and client reactions).
   * @param now by the clock of the connection
   */
  checkTimeouts({ login, silence }: Timeouts, now: number): void {
    if (now - this.#lastHeard > silence) this.close(4107, 'READ_TIMEOUT')
    else if (this.#appId === null && now - this.#opened > login) this.close(4108, 'LOGIN_TIMEOUT')
  }

  #hear(): void {
    this.#lastHeard = this.#options.now()
  }

  #receivePing(content: Buffer): void {
    this.#hear()
    if (!this.closed) this.#inbox.add(new Ping(content))
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.closed) {
      if (++this.#late > MAX_LATE) this.terminate()
      return
    }
    this.#hear()
    if (data.length > MAX_FRAME) this.close(4109, 'FRAME_TOO_LONG')
    else if (isBinary) this.#inbox.add(data)
    else if (isUtf8(data)) this.#inbox.add(data.toString())
    else this.#refuseFrame('the text is no UTF-8')
  }

  #take(frame: Frame): void | Promise<void> {
    if (frame instanceof Ping) return this.#outgoing.pong(frame.content)
    // The sign of life of clients that speak JSON (protocol/realtime, JSON subprotocol (lc.json.3, C# LiveQuery)).
    if (this.encoding === 'json' && frame === '{}') return this.#outgoing.write(frameOf('{}'))
    let command: GenericCommand
    try {
      command = decode(frame, this.encoding)
    } catch (error) {
      return this.#refuseFrame(error instanceof UnparseableFrame ? error.message : 'unknown')
    }
    // That of others; who has no `i` gets none (protocol/realtime, Keep-alive).
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

  /** Logs a command when it has been performed: what kind it was and what came of it, nothing that it said. */
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

  /** The client does not keep to the WebSocket protocol; the library has closed the connection. */
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

  /** Calls a listener whose fault must not disturb others: connections also end while what goes to many is sent. */
  #callListener(listener: CloseListener, code: number): void {
    try {
      listener(code)
    } catch (error) {
      this.#options.log.error({ ...this.#about(), error }, 'closing connection failed')
    }
  }

  #about(): object {
    return { connection: this.id, app: this.#appId }
  }
}

function noteCode(codes: Codes, { i, errorMessage, ackMessage }: GenericCommand): void {
  if (i !== undefined && codes.has(i)) codes.set(i, errorMessage?.code ?? ackMessage?.code)
}
