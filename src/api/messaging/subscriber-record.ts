import type { Subscription } from '../../messaging/members/subscriptions.ts'

/** A subscription as it is answered (protocol/messaging, Subscriber record). */
export function subscriberRecord({ since, clientId, convId }: Subscription): object {
  return { timestamp: since, subscriber: clientId, conv_id: convId }
}
