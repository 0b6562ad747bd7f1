import { WebSocket } from 'ws'
import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import type { Target } from './target.ts'

const TIMEOUT_MS = 15_000

/** A connection to the realtime server from any local address; the benchmark client always uses the default address. */
export class Chat {
  readonly websocket: WebSocket
  /** Called with commands the server sends on its own. */
  onPush: (command: GenericCommand) => void = () => {}
  readonly #target: Target
  readonly #answers = new Map<number, (command: GenericCommand) => void>()
  #requests = 0

  constructor(websocket: WebSocket, target: Target) {
    this.websocket = websocket
    this.#target = target
    // Each pending request adds a listener.
    websocket.setMaxListeners(0)
    websocket.on('message', (data) => this.#take(decode(data as Buffer, 'protobuf')))
    websocket.on('error', () => {
      // 'close' follows.
    })
  }

  static connect(target: Target, localAddress: string): Promise<Chat> {
    const websocket = new WebSocket(target.url.replace('http', 'ws'), 'lc.protobuf2.3', {
      localAddress,
      perMessageDeflate: false,
      handshakeTimeout: TIMEOUT_MS,
    })
    return new Promise((resolve, reject) => {
      websocket.once('open', () => resolve(new Chat(websocket, target)))
      websocket.once('error', reject)
    })
  }

  get isOpen(): boolean {
    return this.websocket.readyState === WebSocket.OPEN
  }

  send(command: GenericCommand): void {
    if (this.isOpen) this.websocket.send(encode(command, 'protobuf'))
  }

  /** @throws Error when it is rejected or gets no response */
  async request(command: GenericCommand): Promise<GenericCommand> {
    const i = ++this.#requests
    const answer = await new Promise<GenericCommand>((resolve, reject) => {
      const ended = () => reject(new Error('connection closed'))
      const late = setTimeout(() => reject(new Error('no answer')), TIMEOUT_MS)
      this.websocket.once('close', ended)
      this.#answers.set(i, (answer) => {
        clearTimeout(late)
        this.websocket.off('close', ended)
        resolve(answer)
      })
      if (!this.isOpen) ended()
      this.send({ ...command, i })
    })
    const refusal =
      answer.errorMessage ?? answer.ackMessage ?? (answer.op === 'closed' ? answer.sessionMessage : undefined)
    if (refusal?.code === undefined) return answer
    throw new Error(`refused with ${refusal.code}`)
  }

  open(peerId: string): Promise<GenericCommand> {
    const sessionMessage = { ua: 'bench/1', r: false, deviceId: `device of ${peerId}`, configBitmap: 0xbb }
    return this.request({ cmd: 'session', op: 'open', appId: this.#target.appId, peerId, sessionMessage })
  }

  /**
   * Creates a conversation, or with `transient` a chat room.
   * @returns its id
   */
  async start(members: readonly string[], transient = false): Promise<string> {
    const attr = { data: '{"name":"attacked"}' }
    const { convMessage } = await this.request({
      cmd: 'conv',
      op: 'start',
      convMessage: { m: [...members], transient, attr },
    })
    return convMessage!.cid!
  }

  end(): void {
    this.websocket.terminate()
  }

  #take(command: GenericCommand): void {
    const answered = command.i === undefined ? undefined : this.#answers.get(command.i)
    if (!answered) {
      this.onPush(command)
      return
    }
    this.#answers.delete(command.i!)
    answered(command)
  }
}
