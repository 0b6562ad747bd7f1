import { addressKey } from '../limits/address-key.ts'
import type { Principal } from '../scheduling/principal.ts'
import type { Connection } from './connection.ts'

/** A client of messaging as a principal for fair scheduling, until its connection ends. */
export class SessionPrincipal implements Principal {
  readonly app: string
  readonly address: string
  readonly user: string
  readonly #connection: Connection

  constructor(app: string, clientId: string, connection: Connection) {
    this.app = app
    this.address = addressKey(connection.remoteAddress)
    this.user = clientId
    this.#connection = connection
  }

  onDisconnect(leave: () => void): () => void {
    if (!this.#connection.closed) return this.#connection.onClose(leave)
    queueMicrotask(leave)
    return () => {}
  }
}
