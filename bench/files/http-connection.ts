import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FileRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export interface FileAnswer {
  readonly status: number
  /** Bytes of the body. */
  readonly size: number
  /** The whole body up to 64 KB, else empty. */
  readonly text: string
}

/** All connections read into this buffer, to keep their cost low. */
const READ_BUFFER = 256 * 1024
const TEXT = 64 * 1024
const HEAD = 16 * 1024
/** Timeout without received bytes, in milliseconds. */
const TIMEOUT_MS = 120_000

/** The state of the pending response. */
interface Pending {
  head: string
  /** Bytes of the body; null until the head is complete. */
  expected: number | null
  status: number
  size: number
  readonly text: Buffer[]
  resolve(answer: FileAnswer): void
  reject(error: Error): void
}

/**
 * A connection that sends sequential requests, counts the response bytes and discards them: a client that costs little compared
 * to the measured server.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #host: string
  #pending: Pending | null = null
  /** The number of bytes after which it stops reading. */
  #stopAfter = Number.POSITIVE_INFINITY

  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url)
    const connection = new HttpConnection({ host: hostname, port: Number(port) }, host)
    await once(connection.#socket, 'connect')
    return connection
  }

  private constructor(address: { readonly host: string; readonly port: number }, host: string) {
    this.#host = host
    this.#socket = connect({
      ...address,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BUFFER),
        callback: (length, buffer) => this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, length)),
      },
    })
    this.#socket.setTimeout(TIMEOUT_MS, () => this.#socket.destroy(new Error(`Nothing has come for ${TIMEOUT_MS} ms.`)))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('The server has closed the connection.')))
  }

  /** @throws Error when the response is not 2xx, or is missing */
  async request(request: FileRequest): Promise<FileAnswer> {
    const answer = this.#await()
    await Promise.race([answer, this.#send(request)])
    const { status, text } = await answer
    if (status < 200 || status > 299) throw new Error(`${request.method} ${request.path}: ${status} ${text}`)
    return answer
  }

  /**
   * Sends a request, and stops reading after `bytes` bytes.
   * @returns when it stops reading
   */
  async requestAndStall(path: string, bytes: number): Promise<void> {
    this.#stopAfter = bytes
    // It fails when the connection is closed, which is the expected end.
    const answer = this.#await().catch(() => {})
    await Promise.race([answer, this.#send({ method: 'GET', path })])
    while (this.#stopAfter > 0 && this.#pending) await sleep(10)
  }

  close(): void {
    this.#socket.destroy()
  }

  #await(): Promise<FileAnswer> {
    return new Promise((resolve, reject) => {
      this.#pending = { head: '', expected: null, status: 0, size: 0, text: [], resolve, reject }
    })
  }

  async #send({ method, path, headers = {}, body }: FileRequest): Promise<void> {
    const fields = { Host: this.#host, ...headers, ...(body && { 'Content-Length': String(body.length) }) }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    if (!body) return
    for (let start = 0; start < body.length && !this.#socket.destroyed; start += READ_BUFFER) {
      if (!this.#socket.write(body.subarray(start, start + READ_BUFFER))) await once(this.#socket, 'drain')
    }
  }

  /** @returns false to stop reading */
  #take(bytes: Buffer): boolean {
    const pending = this.#pending
    if (!pending) return true
    if (pending.expected === null) {
      const before = pending.head.length
      pending.head += bytes.toString('latin1', 0, HEAD)
      const end = pending.head.indexOf('\r\n\r\n')
      if (end < 0) {
        if (pending.head.length >= HEAD) this.#socket.destroy(new Error('The head of the answer is too long.'))
        return true
      }
      pending.status = Number(pending.head.slice(9, 12))
      const length = /\r\ncontent-length: *(\d+)/i.exec(pending.head.slice(0, end + 2))?.[1]
      if (length === undefined && pending.status !== 204) {
        this.#socket.destroy(new Error(`An answer does not say how long it is: ${pending.head.slice(0, end)}`))
        return true
      }
      pending.expected = Number(length ?? 0)
      return this.#takeBody(pending, pending.expected, bytes.subarray(end + 4 - before))
    }
    return this.#takeBody(pending, pending.expected, bytes)
  }

  #takeBody(pending: Pending, expected: number, bytes: Buffer): boolean {
    pending.size += bytes.length
    if (expected <= TEXT) pending.text.push(Buffer.from(bytes))
    if (pending.size >= expected) {
      this.#pending = null
      pending.resolve({ status: pending.status, size: pending.size, text: Buffer.concat(pending.text).toString() })
      return true
    }
    if (pending.size < this.#stopAfter) return true
    this.#stopAfter = 0
    return false
  }

  #fail(error: Error): void {
    this.#pending?.reject(error)
    this.#pending = null
  }
}

/** Opens connections, runs `work` with them, and closes them. */
export async function withConnections<Result>(
  url: string,
  count: number,
  work: (connections: readonly HttpConnection[]) => Promise<Result>,
): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(url)))
  try {
    return await work(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}
