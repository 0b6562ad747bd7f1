import type { ServerResponse } from 'node:http'
import { addressKey } from '../limits/address-key.ts'
import { MASTER_KEY, type Party } from '../turns/party.ts'

/** Who made a request, as far as turns go: they end when its connection is closed before it has an answer. */
export class RequestParty implements Party {
  readonly app: string
  readonly address: string
  readonly user: string
  readonly #response: ServerResponse | undefined

  /** @param address IP address */
  constructor(
    app: string,
    address: string,
    { userId, master }: { readonly userId: string | null; readonly master: boolean },
    response?: ServerResponse,
  ) {
    this.app = app
    this.address = master ? MASTER_KEY : addressKey(address)
    this.user = userId ?? ''
    this.#response = response
  }

  whenGone(leave: () => void): () => void {
    const response = this.#response
    if (!response) return () => {}
    if (response.destroyed) queueMicrotask(leave)
    response.once('close', leave)
    return () => response.off('close', leave)
  }
}
