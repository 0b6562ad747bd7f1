import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'
import type { SecureContext } from 'node:tls'
import { checkLiteral, lookupReachable } from '../../http-client/reachable-address.ts'
import { failed, type Http2Answer, type Http2Request, reasonOf } from './http2-answer.ts'

export interface Http2Options {
  /** URL of the server. `http:` also uses HTTP/2, without TLS. */
  readonly url: string
  /** Client certificate and trusted certificates; omitted: the defaults. */
  readonly secureContext?: SecureContext
  /** Maximum concurrent requests on a connection, if the server does not allow fewer. */
  readonly atOnce: number
  /** Milliseconds until a response must have arrived, a connection be open, or a PING be acknowledged. */
  readonly timeout: number
  /** Milliseconds between two PINGs; 30 s by default. */
  readonly pingInterval?: number
}

/** Events for the owner of a session. */
export interface Http2Events {
  /** The server has set or changed the number of requests that it accepts concurrently. */
  room(): void
  /** The session accepts no further requests; open ones may still get a response. `served`: whether it ever accepted any. */
  ended(reason: string, served: boolean): void
}

interface Flight {
  /** Time of `performance.now`. */
  readonly started: number
  /** Ends the wait for the response. */
  cut(reason: string): void
}

/** Maximum bytes of a response that are kept; those of the providers are far shorter. */
const MAX_ANSWER = 16 * 1024

/** One HTTP/2 connection, from its opening to its end. */
export class Http2Session {
  readonly #session: ClientHttp2Session
  readonly #options: Http2Options
  readonly #events: Http2Events
  /** In the order in which they were sent. */
  readonly #flights = new Set<Flight>()
  readonly #opened = performance.now()
  readonly #timer: NodeJS.Timeout
  /** Number of concurrent requests that the server accepts. */
  #limit = 0
  #served = false
  #ended = false
  #fault: string | null = null
  #pinged = performance.now()
  #pingAnswered = true

  /** @throws the errors of `connect` for invalid options */
  constructor(options: Http2Options, events: Http2Events) {
    this.#options = options
    this.#events = events
    checkLiteral('app', new URL(options.url))
    this.#session = connect(options.url, {
      // Passed to the socket. The app configures the server, so the address must be checked.
      lookup: lookupReachable('app'),
      ...(options.secureContext && { secureContext: options.secureContext }),
    } as SecureClientSessionOptions)
    this.#session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      // Apple allows one stream until it has verified a token, and then more.
      this.#limit = Math.min(options.atOnce, maxConcurrentStreams ?? options.atOnce)
      this.#served ||= this.#limit > 0
      if (!this.#ended) events.room()
    })
    this.#session.on('error', (error) => {
      this.#fault ??= reasonOf(error)
    })
    this.#session.on('goaway', () => this.#end('the server closes the connection'))
    this.#session.on('close', () => {
      clearInterval(this.#timer)
      this.#end('the connection was closed')
    })
    this.#timer = setInterval(() => this.#beat(), Math.min(1000, options.timeout / 4)).unref()
  }

  /** Number of further requests that can be sent now. */
  get room(): number {
    // When a connection is lost, its streams close first; waiting requests must then use the next connection.
    const { closed, destroyed } = this.#session
    return this.#ended || closed || destroyed ? 0 : this.#limit - this.#flights.size
  }

  /** Sends a request. `room` must be above 0. `settle` is called once, and not before this returns. */
  start({ headers, body }: Http2Request, settle: (answer: Http2Answer) => void): void {
    const stream = this.#session.request(headers)
    let status: number | undefined
    let answered: IncomingHttpHeaders = {}
    let text = ''
    let fault = ''
    const end = (reason: string) => {
      if (!this.#flights.delete(flight)) return
      settle(status === undefined ? failed(reason) : { kind: 'answered', status, headers: answered, body: text })
    }
    const flight: Flight = {
      started: performance.now(),
      cut: (reason) => {
        end(reason)
        stream.close(constants.NGHTTP2_CANCEL)
      },
    }
    this.#flights.add(flight)
    stream.on('response', (received) => {
      answered = received
      status = received[':status']
      if (status === 200) return void stream.resume()
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        if (text.length < MAX_ANSWER) text += chunk
      })
    })
    stream.on('error', (error) => {
      fault = reasonOf(error)
    })
    // A status is enough, even if the rest of the response is lost.
    stream.on('close', () => end(this.#reason(stream.rstCode, fault)))
    stream.end(body)
  }

  /** Closes the session immediately. Open requests fail. */
  destroy(reason: string): void {
    this.#fault ??= reason
    this.#end(reason)
    this.#session.destroy()
  }

  #reason(code: number | undefined, fault: string): string {
    if (code === constants.NGHTTP2_REFUSED_STREAM) return 'the server did not take the request'
    return `the connection was lost (${this.#fault ?? (fault || 'no answer')})`
  }

  #end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#events.ended(this.#fault ?? reason, this.#served)
  }

  /** Ends requests that time out, and checks that the server is still alive. */
  #beat(): void {
    if (this.#session.destroyed) return
    const { timeout, pingInterval = 30_000 } = this.#options
    const now = performance.now()
    if (this.#limit === 0 && now - this.#opened > timeout) this.destroy('the server takes no requests')
    else if (!this.#pingAnswered && now - this.#pinged > timeout) this.destroy('the server is silent')
    else if (this.#limit > 0 && this.#pingAnswered && now - this.#pinged > pingInterval) this.#ping(now)
    for (const flight of this.#flights) {
      if (now - flight.started <= timeout) break
      flight.cut('no response in time')
    }
  }

  #ping(now: number): void {
    this.#pinged = now
    this.#pingAnswered = !this.#session.ping((error) => {
      this.#pingAnswered = error === null
    })
  }
}
