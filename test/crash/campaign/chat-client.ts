import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { decode, encode } from '../../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import type { ServerAddress } from './api.ts'
import type { Random } from './random.ts'
import type { FaultLog } from './trouble.ts'

/** The capabilities sent by the official JavaScript client (protocol/realtime, configBitmap). */
const CAPABILITIES = 0xbb
const SUBPROTOCOL = 'lc.protobuf2.3'
/** A client switches servers after so many milliseconds without a response; official clients wait longer. */
const TIMEOUT_MS = 2000
const PAUSE = 100

type Answered = (answer: GenericCommand | null) => void

/** Error codes that mean the server was unable to serve, not that it rejected the request. */
const INABILITIES = new Set([4200, 4301])

export function isInability(code: number): boolean {
  return INABILITIES.has(code)
}

/**
 * A messaging client that stays logged in whenever a server runs: when it loses its connection or gets no response, it connects
 * to any server, as official clients do.
 */
export class ChatClient {
  readonly id: string
  /** The number of connections so far. */
  connections = 0
  /** Called with commands the server sends on its own. */
  onPush: (command: GenericCommand) => void = () => {}
  readonly #server: ServerAddress
  readonly #faults: FaultLog
  readonly #random: Random
  readonly #running: Promise<void>
  readonly #answers = new Map<number, Answered>()
  #socket: WebSocket | null = null
  #isOpen = false
  #lastNumber = 0
  #stopping = false

  constructor(id: string, server: ServerAddress, faults: FaultLog, random: Random) {
    this.id = id
    this.#server = server
    this.#faults = faults
    this.#random = random
    this.#running = this.#run()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when it is logged in. */
  async opened(): Promise<void> {
    while (!this.#isOpen) await sleep(5)
  }

  /**
   * Sends a request.
   * @returns the response; null without one or without a connection
   */
  request(command: GenericCommand): Promise<GenericCommand | null> {
    return this.#isOpen ? this.#send(command) : Promise.resolve(null)
  }

  /** Sends a command that has no response. */
  send(command: GenericCommand): void {
    if (this.#isOpen) this.#socket?.send(encode({ ...command, peerId: this.id }, 'protobuf'))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#socket?.terminate()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#connection(this.#random.pick(this.#server.urls()))
      if (!this.#stopping) await sleep(PAUSE)
    }
  }

  /** Runs one connection until it closes. */
  #connection(url: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'), SUBPROTOCOL, { handshakeTimeout: TIMEOUT_MS })
      this.#socket = socket
      socket.on('open', () => void this.#open())
      socket.on('message', (frame) => this.#take(frame as Buffer))
      // 'close' follows.
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#isOpen = false
        for (const answered of this.#answers.values()) answered(null)
        this.#answers.clear()
        resolve()
      })
    })
  }

  async #open(): Promise<void> {
    const sessionMessage = { configBitmap: CAPABILITIES, deviceId: `device of ${this.id}` }
    const answer = await this.#send({ cmd: 'session', op: 'open', appId: this.#server.appId, sessionMessage })
    if (answer?.op === 'opened') {
      this.connections++
      this.#isOpen = true
      return
    }
    const code = answer?.errorMessage?.code
    if (code !== undefined && !isInability(code)) this.#faults.violations.push(`a login was refused with ${code}`)
    this.#socket?.terminate()
  }

  #send(command: GenericCommand): Promise<GenericCommand | null> {
    const socket = this.#socket!
    const i = ++this.#lastNumber
    return new Promise((resolve) => {
      const late = setTimeout(() => socket.terminate(), TIMEOUT_MS)
      this.#answers.set(i, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
      socket.send(encode({ ...command, i, peerId: this.id }, 'protobuf'))
    })
  }

  #take(frame: Buffer): void {
    const command = decode(frame, 'protobuf')
    const answered = command.i === undefined ? undefined : this.#answers.get(command.i)
    if (!answered) {
      this.onPush(command)
      return
    }
    this.#answers.delete(command.i!)
    answered(command)
  }
}
