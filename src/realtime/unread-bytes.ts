import { AmountSemaphore } from '../scheduling/amount-semaphore.ts'

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

/**
 * Bounds the bytes that wait for clients that do not keep up, of all connections together: each alone could do no harm.
 */
export function unreadBytes({ total, ofOneAddress }: UnreadLimits = UNREAD_LIMITS): AmountSemaphore {
  return new AmountSemaphore({ guaranteed: ofOneAddress, inAll: total, times: 1 })
}
