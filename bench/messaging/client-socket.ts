import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

const BINARY = 0x82
const CLOSE = 0x08
/** Clients must mask their frames (RFC 6455, 5.3). Any mask works, but one of zeros would save work for the server. */
const MASK = [0x5a, 0x3c, 0x69, 0x96] as const

/**
 * The client side of a WebSocket, reduced to the needs of the load generator. Receiving a frame costs a fraction of that with
 * `ws`: generator and server share the machine, and the figures should reflect the server.
 */
export class ClientSocket {
  /** Called with the payload of each frame; an exception ends the run. */
  onFrame: (payload: Buffer) => void = () => {}
  readonly #socket: Socket
  /** An incomplete frame. */
  #rest: Buffer | null = null
  #ended = false

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => {
      // 'close' follows.
    })
    socket.on('close', () => {
      if (!this.#ended) throw new Error('The server has ended a connection.')
    })
    if (head.length > 0) this.#read(head)
    socket.on('data', (chunk) => this.#read(chunk))
  }

  /** Sends a binary frame. */
  send(payload: Uint8Array): void {
    this.#socket.write(maskedFrame(payload))
  }

  /** Closes the connection without a close frame. */
  end(): void {
    this.#ended = true
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    let at = 0
    for (;;) {
      const start = at + headerLength(bytes, at)
      if (start > bytes.length) break
      const end = start + payloadLength(bytes, at)
      if (end > bytes.length) break
      this.#take(bytes[at]! & 0x0f, bytes.subarray(start, end))
      at = end
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : null
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === CLOSE) {
      const code = payload.length < 2 ? 'no code' : payload.readUInt16BE()
      throw new Error(`The server closes a connection with ${code} ${payload.subarray(2).toString()}`)
    }
    this.onFrame(payload)
  }
}

/**
 * Opens a connection.
 * @param url the http URL of the server
 */
export function connect(url: string, subprotocol: string): Promise<ClientSocket> {
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      'Sec-WebSocket-Protocol': subprotocol,
    }
    request(url, { agent: false, headers })
      .on('upgrade', (_response, socket, head) => resolve(new ClientSocket(socket as Socket, head)))
      .on('response', ({ statusCode }) => reject(new Error(`A handshake was answered with ${statusCode}.`)))
      .on('error', reject)
      .end()
  })
}

/** Returns the header length of the frame at `at`. For an incomplete header the result exceeds the available bytes. */
function headerLength(bytes: Buffer, at: number): number {
  const short = bytes[at + 1]
  if (short === undefined || short < 126) return 2
  return short === 126 ? 4 : 10
}

function payloadLength(bytes: Buffer, at: number): number {
  const short = bytes[at + 1]!
  if (short < 126) return short
  return short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** Returns a masked binary frame. */
export function maskedFrame(payload: Uint8Array): Buffer {
  const { length } = payload
  if (length > 65_535) throw new Error('The load generator sends no frames of this length.')
  const start = length < 126 ? 6 : 8
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = BINARY
  frame[1] = 0x80 | (length < 126 ? length : 126)
  if (length >= 126) frame.writeUInt16BE(length, 2)
  frame.set(MASK, start - 4)
  for (let index = 0; index < length; index++) frame[start + index] = payload[index]! ^ MASK[index & 3]!
  return frame
}
