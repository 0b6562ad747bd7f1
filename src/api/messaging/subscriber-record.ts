import type { Subscription } from '../../messaging/members/subscriptions.ts'

/** Returns a subscription as in responses (protocol/messaging, Subscriber record). */
export function subscriberRecord({ since, clientId, convId }: Subscription): object {
  return { timestamp: since, subscriber: clientId, conv_id: convId }
}
