import { setMaxListeners } from 'node:events'
import type { Log } from '../../log.ts'
import { failed, type Http2Answer, type Http2Request, reasonOf } from './http2-answer.ts'
import { type Http2Options, Http2Session } from './http2-session.ts'

/** Requests of one call of `exchange`. */
interface Batch {
  readonly requests: readonly Http2Request[]
  readonly answers: (Http2Answer | undefined)[]
  /** Index of the first request that has not been sent. */
  next: number
  /** Number of requests without a response. */
  unanswered: number
  done(): void
}

/**
 * A connection to a server: one HTTP/2 session with many concurrent requests, opened on demand and reopened after it has ended.
 * No request is sent twice.
 */
export class Http2Connection {
  readonly #options: Http2Options
  readonly #log: Log
  readonly #waiting: Batch[] = []
  readonly #open = new Set<Batch>()
  #session: Http2Session | null = null
  #closing = false

  constructor(options: Http2Options, log: Log) {
    this.#options = options
    this.#log = log
  }

  /**
   * Sends requests.
   * @param signal ends the wait: requests without a response fail, although the server may have processed them
   * @returns the responses in the order of the requests
   */
  async exchange(requests: readonly Http2Request[], signal: AbortSignal): Promise<readonly Http2Answer[]> {
    if (requests.length === 0) return []
    const batch = await new Promise<Batch>((resolve) => {
      const stop = () => this.#giveUp(batch, 'the sending was stopped')
      const batch: Batch = {
        requests,
        answers: new Array(requests.length),
        next: 0,
        unanswered: requests.length,
        done: () => {
          signal.removeEventListener('abort', stop)
          this.#open.delete(batch)
          this.#rest()
          resolve(batch)
        },
      }
      this.#open.add(batch)
      if (signal.aborted) return stop()
      // Many concurrent calls can share a signal; each removes its listener.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', stop)
      this.#waiting.push(batch)
      this.#work()
    })
    return batch.answers.map((answer) => answer!)
  }

  /** Closes the connection once all requests have a response. */
  close(): void {
    this.#closing = true
    this.#rest()
  }

  /** Sends as many requests as the server accepts. */
  #work(): void {
    if (this.#waiting.length === 0) return
    this.#session ??= this.#connect()
    // The session may end while requests are being sent.
    while (this.#session && this.#session.room > 0) {
      const batch = this.#waiting[0]
      if (!batch) return
      const index = batch.next++
      if (batch.next === batch.requests.length) this.#waiting.shift()
      this.#start(this.#session, batch, index)
    }
  }

  #start(session: Http2Session, batch: Batch, index: number): void {
    try {
      session.start(batch.requests[index]!, (answer) => {
        this.#answer(batch, index, answer)
        this.#work()
      })
    } catch (error) {
      this.#answer(batch, index, failed(reasonOf(error)))
    }
  }

  #connect(): Http2Session | null {
    try {
      const session = new Http2Session(this.#options, {
        room: () => this.#work(),
        ended: (reason, served) => {
          if (this.#session === session) this.#session = null
          if (served) this.#work()
          else this.#unreachable(reason)
        },
      })
      return session
    } catch (error) {
      this.#unreachable(reasonOf(error))
      return null
    }
  }

  #unreachable(reason: string): void {
    const { host } = new URL(this.#options.url)
    this.#log.warn({ host, error: reason }, 'push server unreachable')
    for (const batch of this.#waiting.splice(0)) this.#giveUp(batch, `the server cannot be reached (${reason})`)
  }

  /** Fails the remaining requests of a batch. Requests already sent continue, but their responses are ignored. */
  #giveUp(batch: Batch, reason: string): void {
    const index = this.#waiting.indexOf(batch)
    if (index >= 0) this.#waiting.splice(index, 1)
    batch.next = batch.requests.length
    for (let index = 0; index < batch.requests.length; index++) {
      if (!batch.answers[index]) this.#answer(batch, index, failed(reason))
    }
  }

  #answer(batch: Batch, index: number, answer: Http2Answer): void {
    if (batch.answers[index]) return
    batch.answers[index] = answer
    if (--batch.unanswered === 0) batch.done()
  }

  #rest(): void {
    if (!this.#closing || this.#open.size > 0) return
    this.#session?.destroy('the connection is not needed any more')
  }
}
