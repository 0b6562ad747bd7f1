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
  readonly #underWay = new WeakMap<Socket, number>()

  /** @throws ApiError 429 when there are too many; `end` is to be called for that one as well */
  begin(socket: Socket): void {
    const count = (this.#underWay.get(socket) ?? 0) + 1
    this.#underWay.set(socket, count)
    // Not at once: Node goes on reading by itself whenever it has parsed a request to its end.
    if (count === ENOUGH) process.nextTick(() => this.#pause(socket))
    if (count > MOST) throw errors.tooManyRequests()
  }

  end(socket: Socket): void {
    const count = (this.#underWay.get(socket) ?? 1) - 1
    this.#underWay.set(socket, count)
    if (count === FEW) socket.resume()
  }

  #pause(socket: Socket): void {
    if ((this.#underWay.get(socket) ?? 0) > FEW) socket.pause()
  }
}
