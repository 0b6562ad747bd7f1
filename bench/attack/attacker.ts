import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chat } from './chat.ts'
import { ATTACKER, clientHeaders, type Target } from './target.ts'

export interface Sent {
  readonly method?: string
  readonly path: string
  /** Objects are sent as JSON. */
  readonly body?: object | string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to send the keys of the app; defaults to true. */
  readonly asClient?: boolean
}

export interface Received {
  readonly status: number
  readonly text: string
}

/** Timeout of an attacker's requests, in milliseconds. */
const TIMEOUT_MS = 60_000

/** An attacker at one address, with as many connections as the server allows. */
export class Attacker {
  readonly target: Target
  /** The number of results by status or fault. */
  readonly tally = new Map<string, number>()
  stopped = false
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1000, localAddress: ATTACKER } as object)

  constructor(target: Target) {
    this.target = target
  }

  count(what: string, times = 1): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + times)
  }

  /** Sends a request; resolves with status 0 without a response. */
  async send({ method = 'POST', path, body, headers = {}, asClient = true }: Sent): Promise<Received> {
    const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const all = {
      ...(asClient ? clientHeaders(this.target) : {}),
      ...(bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }),
      ...headers,
    }
    const answer = await new Promise<Received>((resolve) => {
      const failed = (error: Error & { code?: string }) => resolve({ status: 0, text: error.code ?? error.message })
      const read = (response: IncomingMessage) => {
        const parts: Buffer[] = []
        response.on('data', (chunk: Buffer) => parts.length < 64 && parts.push(chunk))
        response.on('error', failed)
        response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString() }))
      }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      request(this.target.url + path, { method, headers: all, agent: this.#agent, signal }, read)
        .on('error', failed)
        .end(bytes)
    })
    this.count(answer.status === 0 ? answer.text : String(answer.status))
    // Otherwise a rejected attacker would only reconnect.
    if (answer.status === 0) await sleep(20)
    return answer
  }

  /**
   * Sends a request and returns the JSON of the response.
   * @throws Error when it is rejected, because the attack depends on it
   */
  async request(sent: Sent): Promise<Record<string, unknown>> {
    for (let attempt = 1; ; attempt++) {
      const { status, text } = await this.send(sent)
      if (status >= 200 && status < 300) return JSON.parse(text)
      if (attempt === 20) throw new Error(`${sent.path.slice(0, 100)}: ${status} ${text.slice(0, 300)}`)
      await sleep(250)
    }
  }

  get(path: string, parameters: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Received> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) {
      search.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return this.send({ method: 'GET', path: `${path}?${search}`, headers })
  }

  /** Repeats `one` with a given concurrency until the end. */
  async flood(atOnce: number, one: (n: number) => Promise<unknown>): Promise<void> {
    let n = 0
    const worker = async () => {
      while (!this.stopped) await one(n++)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }

  /** Opens a bare TCP connection. */
  socket(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.target.port, localAddress: ATTACKER })
    socket.on('error', (error: Error & { code?: string }) => this.count(error.code ?? error.message))
    return socket
  }

  /** Sends equal or new requests as text without waiting for responses, at a fraction of the cost of `send`. */
  async pipeline(connections: number, text: () => string, chunk = 32): Promise<void> {
    const one = () =>
      new Promise<void>((resolve) => {
        const socket = this.socket()
        let owed = 0
        const more = () => {
          if (this.stopped || socket.destroyed) return socket.destroy()
          owed += chunk
          socket.write(Array.from({ length: chunk }, text).join(''))
        }
        socket.on('connect', more)
        socket.on('data', (chunk) => {
          const statuses = chunk.toString('latin1').match(/HTTP\/1\.1 \d{3}/g) ?? []
          for (const status of statuses) this.count(status.slice(-3))
          owed -= statuses.length
          if (owed <= 0) more()
        })
        socket.on('close', () => resolve())
      })
    await this.flood(connections, async () => {
      await one()
      await sleep(10)
    })
  }

  /**
   * Opens a chat connection.
   * @throws Error when it is rejected
   */
  chat(): Promise<Chat> {
    return Chat.connect(this.target, ATTACKER)
  }

  /** Creates so many things, some of which can fail; waits for all. */
  async many<Thing>(count: number, atOnce: number, make: (n: number) => Promise<Thing>): Promise<Thing[]> {
    const made: Thing[] = []
    let next = 0
    const worker = async () => {
      while (next < count && !this.stopped) {
        const n = next++
        await make(n).then(
          (thing) => made.push(thing),
          (error: Error) => {
            this.count(error.message.slice(0, 40))
            return sleep(20)
          },
        )
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
    return made
  }

  /** Waits for the end. */
  async untilStopped(): Promise<void> {
    while (!this.stopped) await sleep(100)
  }
}

/** Returns a request as text, for `pipeline` and bare sockets. */
export function rawRequest(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries({
    Host: 'attacked',
    ...headers,
    ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }),
  })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`
}
