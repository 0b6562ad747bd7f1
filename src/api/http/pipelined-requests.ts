import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'

/** So many requests of one connection are worked on before more of it is read, … */
const ENOUGH = 16
/** … which goes on when so many are left. */
const FEW = 8
/** What was read at once may hold more of them, of which so many are worked on. */
const MOST = 64

/**
 * The requests of a connection that have not been answered entirely. Browsers and SDKs have one under way, and proxies send
 * none before the answer to the one before; but HTTP/1.1 lets a client send any number of them, all of which would be
 * worked on at once, and their answers held until it reads.
 */
export class PipelinedRequests {
  readonly #underWay = new WeakMap<Socket, Set<ServerResponse>>()

  /** @throws ApiError 429 when there are too many; `end` is to be called for that one as well */
  begin(response: ServerResponse): void {
    const { socket } = response.req
    const underWay = this.#underWay.get(socket) ?? this.#begin(socket)
    underWay.add(response)
    // Not at once: Node goes on reading by itself whenever it has parsed a request to its end.
    if (underWay.size === ENOUGH) process.nextTick(() => this.#pause(socket))
    if (underWay.size > MOST) throw errors.tooManyRequests()
  }

  end(response: ServerResponse): void {
    const { socket } = response.req
    const underWay = this.#underWay.get(socket)
    if (underWay?.delete(response) && underWay.size === FEW) socket.resume()
  }

  #begin(socket: Socket): Set<ServerResponse> {
    const underWay = new Set<ServerResponse>()
    this.#underWay.set(socket, underWay)
    socket.once('close', () => underWay.forEach(close))
    return underWay
  }

  #pause(socket: Socket): void {
    if ((this.#underWay.get(socket)?.size ?? 0) > FEW) socket.pause()
  }
}

/**
 * When a connection is gone, Node closes the answer whose turn it was. Those behind it would never end: what is held until
 * they do would be held for good, the files that are read for them among it.
 */
function close(response: ServerResponse): void {
  if (response.closed) return
  response.destroy()
  // What Node sets; streams that are joined to the answer from now on look at it.
  Object.assign(response, { _closed: true })
  response.emit('close')
}
