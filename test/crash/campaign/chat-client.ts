import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { decode, encode } from '../../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import type { Place } from './api.ts'
import type { Random } from './random.ts'
import type { Trouble } from './trouble.ts'

/** What the official JavaScript client says that it understands (protocol/realtime, configBitmap). */
const CAPABILITIES = 0xbb
const SUBPROTOCOL = 'lc.protobuf2.3'
/** After so many milliseconds without an answer a client goes to another server; official ones are more patient. */
const PATIENCE = 2000
const PAUSE = 100

type Answered = (answer: GenericCommand | null) => void

/** Refusals that say that the server could not, not that it would not. */
const INABILITIES = new Set([4200, 4301])

export function isInability(code: number): boolean {
  return INABILITIES.has(code)
}

/**
 * A client of messaging that is logged in whenever there is a server: when it loses its connection, or is not answered, it
 * goes to any server, as official clients do.
 */
export class ChatClient {
  readonly id: string
  /** How many connections it has had. */
  connections = 0
  /** Called with what the server says without being asked. */
  onPush: (command: GenericCommand) => void = () => {}
  readonly #place: Place
  readonly #trouble: Trouble
  readonly #random: Random
  readonly #running: Promise<void>
  readonly #answers = new Map<number, Answered>()
  #socket: WebSocket | null = null
  #isOpen = false
  #lastNumber = 0
  #stopping = false

  constructor(id: string, place: Place, trouble: Trouble, random: Random) {
    this.id = id
    this.#place = place
    this.#trouble = trouble
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

  /** Sends a request. @returns its answer; null when there was none, or nowhere to send it */
  request(command: GenericCommand): Promise<GenericCommand | null> {
    return this.#isOpen ? this.#ask(command) : Promise.resolve(null)
  }

  /** Sends a command that has no answer. */
  tell(command: GenericCommand): void {
    if (this.#isOpen) this.#socket?.send(encode({ ...command, peerId: this.id }, 'protobuf'))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#socket?.terminate()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#connection(this.#random.pick(this.#place.urls()))
      if (!this.#stopping) await sleep(PAUSE)
    }
  }

  /** One connection, from its beginning to its end. */
  #connection(url: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'), SUBPROTOCOL, { handshakeTimeout: PATIENCE })
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
    const answer = await this.#ask({ cmd: 'session', op: 'open', appId: this.#place.appId, sessionMessage })
    if (answer?.op === 'opened') {
      this.connections++
      this.#isOpen = true
      return
    }
    const code = answer?.errorMessage?.code
    if (code !== undefined && !isInability(code)) this.#trouble.violations.push(`a login was refused with ${code}`)
    this.#socket?.terminate()
  }

  #ask(command: GenericCommand): Promise<GenericCommand | null> {
    const socket = this.#socket!
    const i = ++this.#lastNumber
    return new Promise((resolve) => {
      const late = setTimeout(() => socket.terminate(), PATIENCE)
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
