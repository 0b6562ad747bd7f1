import type { AppLimits } from '../../limits/app-limits.ts'
import type { LimitKind } from '../../limits/limit-settings.ts'
import type { Caller } from './caller.ts'

/** Returns whether a caller counts as one of the app's clients: its back end and this server do not. */
export function isCounted({ master, origin }: Caller): boolean {
  return !master && origin !== undefined && !origin.fromCloudCode
}

/**
 * Counts an operation of a caller, if it is a client.
 * @param part see `AppLimits.take`
 * @returns a promise only when there is something to count
 * @throws ApiError 429, as a rejection
 */
export function countCaller(
  limits: AppLimits,
  kind: LimitKind,
  caller: Caller,
  amount = 1,
  part = '',
): Promise<void> | void {
  if (!isCounted(caller)) return
  return limits.take(kind, { address: caller.origin?.clientAddress, userId: caller.userId }, amount, part)
}

/** Counts the members added to or removed from relations: each is a row that is written. @throws as `countCaller` */
export function countRelations(
  limits: AppLimits,
  relations: readonly { readonly ids: readonly string[] }[],
  caller: Caller,
): Promise<void> | void {
  const members = relations.reduce((sum, { ids }) => sum + ids.length, 0)
  return countCaller(limits, 'writes', caller, members)
}
