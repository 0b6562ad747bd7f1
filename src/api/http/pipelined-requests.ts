import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'

/** So many requests of one connection wait before more of it is read, … */
const ENOUGH = 16
/** … which goes on when so many are left. */
const FEW = 8
/** What was read at once may hold more of them, of which so many wait. */
const MOST = 64

/** What begins a request, or refuses it. */
type Begin = (refusal?: Error) => void

/**
 * The requests of a connection that have not been answered entirely: one is worked on, the others wait for it. Browsers
 * and SDKs have one under way, and proxies send none before the answer to the one before; but HTTP/1.1 lets a client send
 * any number of them. Their answers would be held until it has read those before, and for good when the connection ends
 * meanwhile: Node tells the end to the first of them alone.
 */
export class PipelinedRequests {
  /** In their order; null where the request has begun. */
  readonly #underWay = new WeakMap<Socket, Map<ServerResponse, Begin | null>>()

  /**
   * @param begin called when it is the request's turn, which is at once where it is alone; with ApiError 429 when too many
   *   wait, or 499 when the connection ended
   */
  wait(response: ServerResponse, begin: Begin): void {
    const { socket } = response.req
    const underWay = this.#underWay.get(socket) ?? this.#open(socket)
    const { size } = underWay
    underWay.set(response, size === 0 || size >= MOST ? null : begin)
    // Not at once: Node goes on reading by itself whenever it has parsed a request to its end.
    if (size + 1 === ENOUGH) process.nextTick(() => this.#pause(socket))
    if (size === 0) begin()
    else if (size >= MOST) begin(errors.tooManyRequests())
  }

  /** To be called when a request has been answered, with whatever. */
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
      for (const begin of waiting) begin?.(errors.clientGone())
    })
    return underWay
  }

  #pause(socket: Socket): void {
    if ((this.#underWay.get(socket)?.size ?? 0) > FEW) socket.pause()
  }
}
