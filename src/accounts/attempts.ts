/** How many failures in which time lock what is guessed at, and for how long. Milliseconds. */
export interface Limit {
  readonly failures: number
  readonly window: number
  readonly lock: number
  /** After so many failures each further one makes the next guess wait so much longer, up to a most. */
  readonly slow?: { readonly after: number; readonly step: number; readonly most: number }
}

/**
 * More than 6 failed logins of one user within 15 minutes; locked until 15 minutes after the last (protocol/accounts,
 * Login lockout).
 */
export const LOGIN_LIMIT: Limit = { failures: 7, window: 900_000, lock: 900_000 }

/** A check whose node has said nothing for this long is over: that node died. */
const CHECK_LIFE = 60_000

/** What is remembered of the guesses at one secret. Times in milliseconds. */
export interface AttemptState {
  readonly failures: readonly number[]
  /** Guesses that are being checked at this moment, by an id of the check. */
  readonly checks: { readonly [check: string]: number }
  readonly lockedUntil: number | null
}

export const NO_ATTEMPTS: AttemptState = { failures: [], checks: {}, lockedUntil: null }

export type Admission =
  | { readonly kind: 'locked' }
  /** Guesses that are being checked could lock it: whether this one may be made shows when they are done. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'admitted'; readonly state: AttemptState }

/**
 * Whether a guess may be checked now. Those under way count as if they had failed, so that many at once are never more
 * than the limit allows.
 */
export function admit(state: AttemptState, check: string, now: number, limit: Limit): Admission {
  if (isLocked(state, now)) return { kind: 'locked' }
  const { failures, checks } = current(state, now, limit)
  if (failures.length + Object.keys(checks).length >= limit.failures) return { kind: 'wait' }
  return { kind: 'admitted', state: { failures, checks: { ...checks, [check]: now }, lockedUntil: null } }
}

/** The state after a check has come to its end. */
export function settle(state: AttemptState, check: string, failed: boolean, now: number, limit: Limit): AttemptState {
  const { failures, checks } = isLocked(state, now) ? state : current(state, now, limit)
  const others = Object.fromEntries(Object.entries(checks).filter(([id]) => id !== check))
  const all = failed ? [...failures, now] : failures
  const locks = failed && all.length >= limit.failures
  return { failures: all, checks: others, lockedUntil: locks ? now + limit.lock : state.lockedUntil }
}

/** How long a guess that is admitted has to wait, in milliseconds. */
export function delayOf({ failures }: AttemptState, { slow }: Limit): number {
  return slow ? Math.min(slow.most, Math.max(0, failures.length - slow.after + 1) * slow.step) : 0
}

export function isLocked({ lockedUntil }: AttemptState, now: number): boolean {
  return lockedUntil !== null && lockedUntil > now
}

/** How many failed logins count still, those that have locked among them. */
export function recentFailures(state: AttemptState, now: number): number {
  if (isLocked(state, now)) return state.failures.length
  return current(state, now, LOGIN_LIMIT).failures.length
}

/** Without the failures of long ago, and those that a lock has made up for. */
function current(state: AttemptState, now: number, { window }: Limit): Pick<AttemptState, 'failures' | 'checks'> {
  const recent = (time: number) => time > now - window
  return {
    failures: state.lockedUntil === null ? state.failures.filter(recent) : [],
    checks: Object.fromEntries(Object.entries(state.checks).filter(([, since]) => since > now - CHECK_LIFE)),
  }
}
