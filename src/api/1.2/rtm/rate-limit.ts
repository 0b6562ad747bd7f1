import { errors } from '../../../errors.ts'
import type { Call } from '../../call.ts'

/**
 * Counts a request of the app's back end against the app's own limits, on this node (spec/3, Limits).
 * @throws ApiError 429
 */
export function countRequest({ app }: Call, what: 'restSends' | 'restUpdates' | 'restBroadcasts'): void {
  const { rates, settings } = app.messaging
  if (!rates.allow(what, '', settings().limits[what])) throw errors.tooManyRequests()
}
