import type { AppLimits, Doer } from '../limits/app-limits.ts'
import type { LimitKind } from '../limits/limit-settings.ts'
import type { Caller } from '../objects/access/caller.ts'
import { countCaller, isCounted } from '../objects/access/count-caller.ts'
import type { Route } from './route.ts'

/** What calls of an endpoint count as; of several the first. Others that read are reads, and all else are writes. */
const KINDS: readonly [kind: LimitKind | null, method: RegExp, path: RegExp][] = [
  // Its items are counted.
  [null, /POST/, /^\/1\.1\/batch(\/save)?$/],
  ['functions', /POST/, /^\/1\.1\/(functions|call)\//],
  ['pushes', /POST/, /^\/1\.1\/push(\/devices)?$/],
  ['subscriptions', /POST/, /^\/1\.1\/LiveQuery\/subscribe$/],
  ['logins', /./, /^\/1\.1\/(login|usersByMobilePhone|changePhoneNumber|verifyCaptcha)$/],
  ['logins', /./, /^\/1\.1\/(verifySmsCode|verifyMobilePhone|resetPasswordBySmsCode)\//],
  ['logins', /PUT/, /\/updatePassword$/],
  ['reads', /GET/, /^\/1\.1\/(users\/me|requestCaptcha)$|\/:(objectId|id|uniqueId)$/],
  ['queries', /GET/, /./],
]

const known = new Map<Route, LimitKind | null>()

/** @returns null for an endpoint whose calls are counted only as requests */
function kindOf(route: Route): LimitKind | null {
  let kind = known.get(route)
  if (kind === undefined) {
    const { method, path } = route
    const rule = KINDS.find(([, methods, paths]) => methods.test(method) && paths.test(path))
    kind = rule ? rule[0] : 'writes'
    known.set(route, kind)
  }
  return kind
}

/**
 * Counts a request over HTTP, and what it asks for, as soon as it has proved its key: who is refused costs no look at the
 * database.
 * @param isBackEnd the master key was proved, or the app's cloud code asks
 * @returns a promise only where there is something to count
 * @throws ApiError 429, by the promise
 */
export function countRequest(
  limits: AppLimits,
  route: Route,
  address: string,
  isBackEnd: boolean,
): Promise<void> | void {
  if (isBackEnd) return limits.take('master', { address: undefined, userId: null })
  return countBoth(limits, route, { address, userId: null })
}

/** Counts it for its user, when that is known. */
export function countUser(limits: AppLimits, route: Route, caller: Caller): Promise<void> | void {
  if (caller.userId === null || !isCounted(caller)) return
  return countBoth(limits, route, { address: undefined, userId: caller.userId, userOnly: true })
}

/** Counts one of several calls in a request. */
export function countCall(limits: AppLimits, route: Route, caller: Caller): Promise<void> | void {
  const kind = kindOf(route)
  return kind === null ? undefined : countCaller(limits, kind, caller)
}

function countBoth(limits: AppLimits, route: Route, doer: Doer): Promise<void> | void {
  const kind = kindOf(route)
  const request = limits.take('requests', doer)
  const call = kind === null ? undefined : limits.take(kind, doer)
  return request && call ? Promise.all([request, call]).then(() => {}) : (request ?? call)
}
