import type { Socket } from 'node:net'
import { addressKey } from '../limits/address-key.ts'
import { MASTER_KEY, type Principal } from '../scheduling/principal.ts'

/**
 * Who made a request, as far as turns go: they end when its connection is closed. It is told by the connection, and not by
 * the answer: principals outlive answers, and would keep each of them, and its request, until the garbage of both is old.
 */
export class RequestPrincipal implements Principal {
  readonly app: string
  readonly address: string
  readonly user: string
  readonly #socket: Socket | undefined
  readonly refusal?: () => Error | undefined

  /**
   * @param address IP address
   * @param refusal as that of a principal
   */
  constructor(
    app: string,
    address: string,
    { userId, master }: { readonly userId: string | null; readonly master: boolean },
    socket?: Socket,
    refusal?: () => Error | undefined,
  ) {
    this.app = app
    this.address = master ? MASTER_KEY : addressKey(address)
    this.user = userId ?? ''
    this.#socket = socket
    if (refusal) this.refusal = refusal
  }

  whenGone(leave: () => void): () => void {
    const socket = this.#socket
    if (!socket) return () => {}
    if (socket.destroyed) {
      queueMicrotask(leave)
      return () => {}
    }
    // All that waits for the requests of a connection: many, and bounded elsewhere.
    socket.setMaxListeners(0)
    socket.once('close', leave)
    return () => socket.off('close', leave)
  }
}
