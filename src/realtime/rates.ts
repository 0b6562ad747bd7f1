import type { Messaging } from '../messaging/messaging.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'

/** What clients may do so many times in a minute (spec/realtime-protocol, 14). */
export type Rate = 'sends' | 'history' | 'operations'

/** @throws MessagingError 4116 when a client has done it too often in this minute */
export function checkRate({ rates, settings }: Messaging, rate: Rate, clientId: string): void {
  if (!rates.allow(rate, clientId, settings().limits[rate]))
    throw messagingErrors.quotaExceeded('Too much in one minute.')
}
