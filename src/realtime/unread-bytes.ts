import { AmountSemaphore } from '../scheduling/amount-semaphore.ts'

/** Bytes. */
export interface UnreadLimits {
  /** Maximum for all clients together that do not read. */
  readonly total: number
  /** Guaranteed for the clients of one address, whatever the others use. */
  readonly ofOneAddress: number
}

const UNREAD_LIMITS: UnreadLimits = {
  total: 256 * 1024 * 1024,
  ofOneAddress: 96 * 1024 * 1024,
}

/**
 * Limits the waiting bytes of all connections of clients that do not read: many connections could exhaust the memory, although
 * each stays within its own limit.
 */
export function unreadBytes({ total, ofOneAddress }: UnreadLimits = UNREAD_LIMITS): AmountSemaphore {
  return new AmountSemaphore({ guaranteed: ofOneAddress, inAll: total, times: 1 })
}
