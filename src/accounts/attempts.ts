/** How many failures within `window` lock a secret, and for how long. Times in milliseconds. */
export interface Limit {
  readonly failures: number
  readonly window: number
  readonly lock: number
  /** From failure number `after` on, each failure adds `step` to the delay of the next guess, up to `max`. */
  readonly slow?: { readonly after: number; readonly step: number; readonly max: number }
}

/**
 * Locks a user after more than 6 failed logins within 15 minutes, until 15 minutes after the last (protocol/accounts,
 * Login lockout).
 */
export const LOGIN_LIMIT: Limit = { failures: 7, window: 900_000, lock: 900_000 }

/** A check older than this counts as lost, because its node must have died. Milliseconds. */
const CHECK_LIFE = 60_000

/** The stored state of the guesses at one secret. Times in milliseconds. */
export interface AttemptState {
  readonly failures: readonly number[]
  /** Guesses that are being checked, by the id of the check: when each began. */
  readonly checks: { readonly [check: string]: number }
  readonly lockedUntil: number | null
}

export const NO_ATTEMPTS: AttemptState = { failures: [], checks: {}, lockedUntil: null }

export type Admission =
  | { readonly kind: 'locked' }
  /** Guesses under check could lock the secret: whether this one is admitted is known when they are done. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'admitted'; readonly state: AttemptState }

/**
 * Decides whether a guess may be checked now. Guesses under check count as failed, so that concurrent guesses never
 * exceed the limit.
 */
export function admit(state: AttemptState, check: string, now: number, limit: Limit): Admission {
  if (isLocked(state, now)) return { kind: 'locked' }
  const { failures, checks } = current(state, now, limit)
  if (failures.length + Object.keys(checks).length >= limit.failures) return { kind: 'wait' }
  return { kind: 'admitted', state: { failures, checks: { ...checks, [check]: now }, lockedUntil: null } }
}

/** Returns the state after a check has ended. */
export function settle(state: AttemptState, check: string, failed: boolean, now: number, limit: Limit): AttemptState {
  const { failures, checks } = isLocked(state, now) ? state : current(state, now, limit)
  const others = Object.fromEntries(Object.entries(checks).filter(([id]) => id !== check))
  const all = failed ? [...failures, now] : failures
  const locks = failed && all.length >= limit.failures
  return { failures: all, checks: others, lockedUntil: locks ? now + limit.lock : state.lockedUntil }
}

/** Returns how long an admitted guess has to wait, in milliseconds. */
export function delayOf({ failures }: AttemptState, { slow }: Limit): number {
  return slow ? Math.min(slow.max, Math.max(0, failures.length - slow.after + 1) * slow.step) : 0
}

export function isLocked({ lockedUntil }: AttemptState, now: number): boolean {
  return lockedUntil !== null && lockedUntil > now
}

/** Returns how many failed logins still count, including those that caused a lock. */
export function recentFailures(state: AttemptState, now: number): number {
  if (isLocked(state, now)) return state.failures.length
  return current(state, now, LOGIN_LIMIT).failures.length
}

/** Drops expired failures, and the failures before a lock that has ended. */
function current(state: AttemptState, now: number, { window }: Limit): Pick<AttemptState, 'failures' | 'checks'> {
  const recent = (time: number) => time > now - window
  return {
    failures: state.lockedUntil === null ? state.failures.filter(recent) : [],
    checks: Object.fromEntries(Object.entries(state.checks).filter(([, since]) => since > now - CHECK_LIFE)),
  }
}
