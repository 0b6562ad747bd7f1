import type { Socket } from 'node:net'
import { addressKey } from '../limits/address-key.ts'
import { MASTER_KEY, type Principal } from '../scheduling/principal.ts'

/**
 * The principal of a request, whose queued work is dropped when its connection is closed. It holds the connection and
 * not the response: principals outlive responses, and would keep each response and its request in memory until the
 * garbage collection of old objects.
 */
export class RequestPrincipal implements Principal {
  readonly app: string
  readonly address: string
  readonly user: string
  readonly #socket: Socket | undefined
  readonly refusal?: () => Error | undefined

  /**
   * @param address IP address
   * @param refusal as for `Principal`
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

  onDisconnect(leave: () => void): () => void {
    const socket = this.#socket
    if (!socket) return () => {}
    if (socket.destroyed) {
      queueMicrotask(leave)
      return () => {}
    }
    // All queued work of the connection's requests listens: many listeners, bounded elsewhere.
    socket.setMaxListeners(0)
    socket.once('close', leave)
    return () => socket.off('close', leave)
  }
}
