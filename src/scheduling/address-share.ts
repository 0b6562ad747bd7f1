/** How much of a bounded resource one address may hold. */
export interface AddressShare {
  /** The amount an address may always hold, regardless of other addresses. */
  readonly guaranteed: number
  /** The maximum that all addresses may hold together. */
  readonly inAll: number
  /** An address may hold this many times the amount that would still be free: alone, `times / (times + 1)` of the total. */
  readonly times: number
}

/**
 * Returns whether an address may acquire another amount. Beyond the guaranteed amount, its share is proportional to what stays
 * free for other addresses. Many users share one address behind the gateway of a mobile network, so an address may use spare
 * capacity; the more it holds, the more it leaves to the next address. The total for all addresses is checked elsewhere.
 * @param own the amount the address already holds
 * @param all the amount all addresses already hold together
 */
export function mayHave({ guaranteed, inAll, times }: AddressShare, own: number, all: number, wanted = 1): boolean {
  return own + wanted <= Math.max(guaranteed, times * (inAll - all - wanted))
}
