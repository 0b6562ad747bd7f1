import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'

/** Number of unanswered requests of a connection at which reading from it pauses, … */
const ENOUGH = 16
/** … and at which reading resumes. */
const FEW = 8
/** Maximum number of unanswered requests of a connection, because a single read may contain more of them. */
const MAX_PIPELINED = 64

/** Begins a request, or rejects it. */
type Begin = (refusal?: Error) => void

/**
 * Orders the unanswered requests of each connection: one is processed, the others wait for it. Browsers, SDKs and
 * proxies do not send a request before the response to the previous one, but HTTP/1.1 lets clients send any number of
 * them. Their responses would be held in memory until the client has read the earlier ones, and forever if the
 * connection ends meanwhile, because Node reports the end only to the first.
 */
export class PipelinedRequests {
  /** In order of arrival; null once the request has begun. */
  readonly #underWay = new WeakMap<Socket, Map<ServerResponse, Begin | null>>()

  /**
   * Queues a request.
   * @param begin called when the request may begin: at once if it is the only one; with ApiError 429 when too many
   *   wait, or 499 when the connection ended
   */
  wait(response: ServerResponse, begin: Begin): void {
    const { socket } = response.req
    const underWay = this.#underWay.get(socket) ?? this.#open(socket)
    const { size } = underWay
    underWay.set(response, size === 0 || size >= MAX_PIPELINED ? null : begin)
    // Pauses later, because Node resumes reading after each request it has parsed completely.
    if (size + 1 === ENOUGH) process.nextTick(() => this.#pause(socket))
    if (size === 0) begin()
    else if (size >= MAX_PIPELINED) begin(errors.tooManyRequests())
  }

  /** Begins the next request of the connection. Call it when a request has its response, successful or not. */
  end(response: ServerResponse): void {
    const { socket } = response.req
    const underWay = this.#underWay.get(socket)
    if (!underWay?.delete(response)) return
    if (underWay.size === FEW) socket.resume()
    const [next] = underWay
    if (!next?.[1]) return
    underWay.set(next[0], null)
    next[1]()
  }

  #open(socket: Socket): Map<ServerResponse, Begin | null> {
    const underWay = new Map<ServerResponse, Begin | null>()
    this.#underWay.set(socket, underWay)
    socket.once('close', () => {
      const waiting = [...underWay.values()]
      underWay.clear()
      for (const begin of waiting) begin?.(errors.clientDisconnected())
    })
    return underWay
  }

  #pause(socket: Socket): void {
    if ((this.#underWay.get(socket)?.size ?? 0) > FEW) socket.pause()
  }
}
