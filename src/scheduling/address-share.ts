/** How much of something that is bounded in all one address may have. */
export interface AddressShare {
  /** What it may have however much others have. */
  readonly guaranteed: number
  /** What all addresses together may have. */
  readonly inAll: number
  /** An address may have so many times what would still be free: alone `times / (times + 1)` of all. */
  readonly times: number
}

/**
 * Whether an address may have as much more of something as it wants: beyond what is guaranteed, only in proportion to what
 * stays free for others. Many honest users share one address behind the gateway of a mobile network, and may have what is
 * spare; and the more an address has, the more it leaves to the next one. What all together may have is checked elsewhere.
 * @param own what the address has already
 * @param all what all addresses together have already
 */
export function mayHave({ guaranteed, inAll, times }: AddressShare, own: number, all: number, wanted = 1): boolean {
  return own + wanted <= Math.max(guaranteed, times * (inAll - all - wanted))
}
