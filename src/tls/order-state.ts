import { pauseAfter } from './renewal-time.ts'

/**
 * What is known about the orders of a host name's certificate. It is stored before each order, so that a server that restarts
 * repeatedly does not exhaust the rate limits of the authority. Times are milliseconds since 1970.
 */
export interface OrderState {
  /** URL of the ACME directory to which failed orders were sent. */
  readonly directory: string
  /** URL of the ACME directory of the stored certificate; null: unknown, or there is none. */
  readonly issuedBy: string | null
  /** Failed orders since the last certificate. */
  readonly failures: number
  /** When the last failed order began; 0: none failed since the last certificate. */
  readonly attemptedAt: number
  /** No order is placed before; 0: at any time. */
  readonly notBefore: number
  /** Whether the authority named `notBefore`. */
  readonly isRateLimited: boolean
  readonly reason: string | null
}

/** Milliseconds after a failed order in which a restart does not lead to the next one: five per hour, as Let's Encrypt allows. */
const RESTART_PAUSE_MS = 15 * 60_000

/** Minimum time between a certificate and the next order: a share of its lifetime, at most an hour. */
const MIN_USE = 1 / 10
const MAX_MIN_USE_MS = 3_600_000

/** @param issuedBy see `OrderState` */
export function noOrders(directory: string, issuedBy: string | null): OrderState {
  return { directory, issuedBy, failures: 0, attemptedAt: 0, notBefore: 0, isRateLimited: false, reason: null }
}

/**
 * Returns the state after an order. An authority that always asks for an immediate renewal does not cause orders without end.
 * @param lifetimeMs of the new certificate
 */
export function afterOrder(directory: string, lifetimeMs: number, now: number): OrderState {
  return { ...noOrders(directory, directory), notBefore: now + Math.min(MAX_MIN_USE_MS, lifetimeMs * MIN_USE) }
}

/**
 * Returns the state after a failed order.
 * @param retryAfterMs milliseconds that the authority asked to wait; null: it did not
 */
export function afterFailure(
  { directory, issuedBy, failures }: OrderState,
  { now, random, reason, retryAfterMs }: { now: number; random: number; reason: string; retryAfterMs: number | null },
): OrderState {
  const pause = pauseAfter(failures + 1, random)
  return {
    directory,
    issuedBy,
    failures: failures + 1,
    attemptedAt: now,
    notBefore: now + Math.max(pause, retryAfterMs ?? 0),
    isRateLimited: retryAfterMs !== null && retryAfterMs > pause,
    reason,
  }
}

/** Returns the state after a restart, which an administrator may have made to try again at once. */
export function afterRestart(state: OrderState): OrderState {
  if (state.isRateLimited) return state
  return { ...state, notBefore: Math.min(state.notBefore, state.attemptedAt + RESTART_PAUSE_MS) }
}

/** Parses a stored state; null when it is damaged. */
export function parseState(text: string): OrderState | null {
  try {
    const state = JSON.parse(text) as OrderState
    return typeof state.directory === 'string' && Number.isFinite(state.notBefore) ? state : null
  } catch {
    return null
  }
}
