import { ApiError } from '../errors.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'

/** What clients may do so many times in a minute (protocol/realtime, Limits). */
export type Rate = 'sends' | 'history' | 'operations'

/**
 * Counts what a client is about to do.
 * @param clientId null: it is not known yet, and counted by its address alone
 * @param address IP address; null: it has been counted by that already
 * @returns a promise only where there is something to count
 * @throws MessagingError 4116, by the promise, when it is too much
 */
export function countCommand(
  { limits, settings }: Messaging,
  rate: Rate,
  clientId: string | null,
  address: string | null,
): Promise<void> | void {
  const doer = { address: address ?? undefined, userId: clientId, userOnly: address === null }
  const counts = [
    clientId === null ? undefined : limits.takeInMinute(rate, clientId, settings().limits[rate]),
    limits.take('commands', doer),
    rate === 'sends' ? limits.take('messages', doer) : undefined,
  ].filter((count) => count !== undefined)
  if (counts.length > 0) return Promise.all(counts).then(() => {}, refuse)
}

/** @throws what clients of messaging are told */
function refuse(error: unknown): never {
  if (error instanceof ApiError && error.status === 429) throw messagingErrors.quotaExceeded(error.message)
  throw error
}
