import { type AddressShare, mayHave } from './address-share.ts'

/** Why an amount is refused: the address holds its share, or all addresses together hold all there is. */
export type Refusal = 'share' | 'total'

/**
 * A semaphore by amount, such as bytes, of which an address may hold more while much is free (`address-share.ts`). Nothing
 * waits in it: an amount is acquired at once or refused.
 */
export class AmountSemaphore {
  readonly #share: AddressShare
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(share: AddressShare) {
    this.#share = share
  }

  /** Returns whether all of it is free. */
  get isFree(): boolean {
    return this.#total === 0
  }

  heldBy(address: string): number {
    return this.#held.get(address) ?? 0
  }

  /** Returns whether the share of an address has room for an amount, whatever is left in all. */
  hasShare(address: string, amount: number): boolean {
    return mayHave(this.#share, this.heldBy(address), this.#total, amount)
  }

  /**
   * Acquires an amount, which `release` gives back.
   * @param own what the caller holds itself. Where the address, or all of them, hold no more than that, the amount may be of
   *   any size; when omitted, no amount may exceed the bounds
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
