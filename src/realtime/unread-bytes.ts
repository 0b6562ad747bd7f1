import { mayHave } from '../scheduling/address-share.ts'

/** Bytes. */
export interface UnreadLimits {
  /** What may wait for all clients together that do not read. */
  readonly total: number
  /** And for those of one address, however much waits for others. */
  readonly ofOneAddress: number
}

const UNREAD_LIMITS: UnreadLimits = {
  total: 256 * 1024 * 1024,
  ofOneAddress: 96 * 1024 * 1024,
}

/** Bytes that wait for clients that do not keep up, of all connections together: each alone could do no harm. */
export class UnreadBytes {
  readonly #limits: UnreadLimits
  readonly #ofAddress = new Map<string, number>()
  #total = 0

  constructor(limits: UnreadLimits = UNREAD_LIMITS) {
    this.#limits = limits
  }

  /** Notes that more, or less, waits for a client at this address. @returns whether that is within the limits */
  change(address: string, by: number): boolean {
    const before = this.#ofAddress.get(address) ?? 0
    const { ofOneAddress, total } = this.#limits
    const share = { guaranteed: ofOneAddress, inAll: total, times: 1 }
    const isWithin = by <= 0 || (mayHave(share, before, this.#total, by) && this.#total + by <= total)
    this.#total += by
    if (before + by > 0) this.#ofAddress.set(address, before + by)
    else this.#ofAddress.delete(address)
    return isWithin
  }
}
