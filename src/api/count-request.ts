import type { AppLimits, Doer } from '../limits/app-limits.ts'
import type { Caller } from '../objects/access/caller.ts'
import { countCaller, isCounted } from '../objects/access/count-caller.ts'
import type { AppRoute, Rate } from './route.ts'

/**
 * Counts a request over HTTP, and the call that it makes, as soon as its key is proved: a refused request costs no read of
 * the database.
 * @param isBackEnd the master key was proved, or the app's cloud code calls
 * @returns a promise only where there is something to count
 * @throws ApiError 429, by the promise
 */
export function countRequest(
  limits: AppLimits,
  { rate }: AppRoute,
  address: string,
  isBackEnd: boolean,
): Promise<void> | void {
  if (isBackEnd) return limits.take('master', { address: undefined, userId: null })
  return countBoth(limits, rate, { address, userId: null })
}

/** Counts it for its user, when that is known. */
export function countUser(limits: AppLimits, { rate }: AppRoute, caller: Caller): Promise<void> | void {
  if (caller.userId === null || !isCounted(caller)) return
  return countBoth(limits, rate, { address: undefined, userId: caller.userId, userOnly: true })
}

/** Counts one of several calls in a request. */
export function countCall(limits: AppLimits, { rate }: AppRoute, caller: Caller): Promise<void> | void {
  return rate === null ? undefined : countCaller(limits, rate, caller)
}

function countBoth(limits: AppLimits, rate: Rate, doer: Doer): Promise<void> | void {
  const request = limits.take('requests', doer)
  const call = rate === null ? undefined : limits.take(rate, doer)
  return request && call ? Promise.all([request, call]).then(() => {}) : (request ?? call)
}
