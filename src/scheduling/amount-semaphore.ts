import { type AddressShare, mayHave } from './address-share.ts'

/** Why an amount is refused: the address holds its full share, or all addresses together hold the total. */
export type Refusal = 'share' | 'total'

/**
 * A semaphore by amount, such as bytes, of which an address may hold more while much is free (`address-share.ts`). It has no
 * queue: an amount is acquired at once or refused.
 */
export class AmountSemaphore {
  readonly #share: AddressShare
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(share: AddressShare) {
    this.#share = share
  }

  /** Returns whether no address holds any of the amount. */
  get isFree(): boolean {
    return this.#total === 0
  }

  heldBy(address: string): number {
    return this.#held.get(address) ?? 0
  }

  /** Returns whether an amount fits the share of an address, without checking the total. */
  hasShare(address: string, amount: number): boolean {
    return mayHave(this.#share, this.heldBy(address), this.#total, amount)
  }

  /**
   * Acquires an amount, to be returned with `release`.
   * @param own the amount the caller itself holds. If the address, or all addresses together, hold no more than that, the amount
   * may be of any size. When omitted, the amount must fit both bounds
   * @returns null when it is acquired
   */
  tryAcquire(address: string, amount: number, own = -1): Refusal | null {
    const held = this.heldBy(address)
    if (held > own && !mayHave(this.#share, held, this.#total, amount)) return 'share'
    if (this.#total > own && this.#total + amount > this.#share.inAll) return 'total'
    this.#held.set(address, held + amount)
    this.#total += amount
    return null
  }

  release(address: string, amount: number): void {
    this.#total -= amount
    const left = this.heldBy(address) - amount
    if (left > 0) this.#held.set(address, left)
    else this.#held.delete(address)
  }
}
