import { connect, type Socket } from 'node:net'
import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { CAPABILITIES, SUBPROTOCOL } from '../messaging/client.ts'
import { maskedFrame } from '../messaging/client-socket.ts'

/** The first bytes of a frame with a message: the field `cmd` with the value `direct` (protocol/realtime, GenericCommand). */
const DIRECT = [0x08, 0x02] as const
const CLOSE = 0x08
/** All sockets read into this buffer: data is processed before the next read. */
const READ = Buffer.allocUnsafe(64 * 1024)
const ANSWER_TIMEOUT_MS = 60_000
/** A ping without content; clients must mask their frames. */
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
const PONG = 0x0a

export interface Server {
  readonly port: number
  readonly appId: string
  /** The local address from which the members connect. */
  readonly address: string
}

/**
 * A member of a chat room on a separate connection. Twenty thousand of them share a process, so a member counts messages by the
 * first bytes of their frames and decodes no others.
 */
export class Member {
  /** The number of received messages. */
  received = 0
  /** Called with the payload of each message; null for members that only count. */
  onMessage: ((payload: Buffer) => void) | null = null
  /** The reason the connection closed; null while it is open. */
  ended: string | null = null
  readonly id: string
  readonly #appId: string
  readonly #socket: Socket
  readonly #answers = new Map<number, (command: GenericCommand) => void>()
  #isOpen = false
  #opened: (error?: Error) => void = () => {}
  /** An incomplete frame or handshake response. */
  #rest: Buffer | null = null
  #requests = 0

  private constructor(id: string, { port, appId, address }: Server) {
    this.id = id
    this.#appId = appId
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      localAddress: address,
      noDelay: true,
      onread: {
        buffer: READ,
        callback: (bytes, buffer) => {
          this.#read((buffer as Buffer).subarray(0, bytes))
          return true
        },
      },
    })
    this.#socket.on('error', (error) => this.#end(error.message))
    this.#socket.on('close', () => this.#end('connection closed'))
    this.#socket.write(
      `GET / HTTP/1.1\r\nHost: homeport\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${SUBPROTOCOL}\r\n\r\n`,
    )
  }

  /**
   * Connects and logs in.
   * @throws Error when the server rejects it
   */
  static async logIn(id: string, server: Server): Promise<Member> {
    const member = new Member(id, server)
    await new Promise<void>((resolve, reject) => {
      member.#opened = (error) => (error ? reject(error) : resolve())
    })
    const sessionMessage = { ua: 'bench/1', r: false, deviceId: `device of ${id}`, configBitmap: CAPABILITIES }
    await member.request({ cmd: 'session', op: 'open', appId: member.#appId, peerId: id, sessionMessage })
    return member
  }

  /**
   * Creates a chat room and joins it.
   * @returns its id
   */
  async makeRoom(): Promise<string> {
    const attr = { data: '{"name":"Live room"}' }
    const { convMessage } = await this.request({ cmd: 'conv', op: 'start', convMessage: { transient: true, attr } })
    return convMessage!.cid!
  }

  async enter(cid: string): Promise<void> {
    await this.request({ cmd: 'conv', op: 'add', convMessage: { cid, m: [this.id] } })
  }

  /**
   * Sends a command and waits for its response.
   * @throws Error when it is rejected or gets no response
   */
  async request(command: GenericCommand): Promise<GenericCommand> {
    const i = ++this.#requests
    const answer = await new Promise<GenericCommand>((resolve, reject) => {
      if (this.ended !== null) {
        reject(new Error(this.ended))
        return
      }
      const late = setTimeout(() => reject(new Error('no answer')), ANSWER_TIMEOUT_MS)
      this.#answers.set(i, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
      this.#socket.write(maskedFrame(encode({ ...command, i }, 'protobuf')))
    })
    const refusal = answer.errorMessage ?? answer.ackMessage
    if (refusal?.code !== undefined) throw new Error(`refused with ${refusal.code}`)
    return answer
  }

  /** Sends a keep-alive ping, as clients do every three minutes. */
  ping(): void {
    if (this.#isOpen && this.ended === null) this.#socket.write(PING)
  }

  #end(reason: string): void {
    this.ended ??= reason
    this.#opened(new Error(this.ended))
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    const at = this.#isOpen ? this.#readFrames(bytes, 0) : this.#readHandshake(bytes)
    // Copied, because the buffer is reused.
    this.#rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : null
  }

  /** @returns the offset of the remaining bytes */
  #readHandshake(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return 0
    const status = bytes.toString('latin1', 9, 12)
    if (status !== '101') {
      this.#end(`refused with ${status}`)
      return bytes.length
    }
    this.#isOpen = true
    this.#opened()
    return this.#readFrames(bytes, end + 4)
  }

  #readFrames(bytes: Buffer, from: number): number {
    for (let at = from; ; ) {
      const short = bytes[at + 1] ?? 0
      const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
      if (start > bytes.length) return at
      const end =
        start + (short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6))
      if (end > bytes.length) return at
      this.#take(bytes[at]! & 0x0f, bytes.subarray(start, end))
      at = end
    }
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === CLOSE) {
      this.#end(payload.length < 2 ? 'closed' : `closed with ${payload.readUInt16BE()}`)
    } else if (opcode === PONG) {
      // It needs no response.
    } else if (payload[0] === DIRECT[0] && payload[1] === DIRECT[1]) {
      this.received++
      this.onMessage?.(payload)
    } else {
      const answer = decode(payload, 'protobuf')
      if (answer.i === undefined) return
      this.#answers.get(answer.i)?.(answer)
      this.#answers.delete(answer.i)
    }
  }
}
