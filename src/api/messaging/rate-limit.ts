import type { Call } from '../call.ts'

/**
 * Counts a request of the app's backend against the app's own limits (protocol/messaging, Limits).
 * @throws ApiError 429
 */
export async function countRequest({ app }: Call, what: 'restSends' | 'restUpdates' | 'restBroadcasts'): Promise<void> {
  await app.limits.takeInMinute(what, '', app.messaging.settings().limits[what])
}
