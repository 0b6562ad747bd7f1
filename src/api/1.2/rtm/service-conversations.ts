import { recordRoutes } from '../../messaging/record-routes.ts'
import type { Route } from '../../route.ts'
import { blacklistRoutes } from './conversations/blacklists.ts'
import { subscriberBroadcasts } from './service-conversations/broadcasts.ts'
import { serviceMessages } from './service-conversations/messages.ts'
import { subscribers } from './service-conversations/subscribers.ts'

/** System conversations (protocol/messaging, System conversations). */
export const serviceConversations: readonly Route[] = [
  ...recordRoutes(
    'system',
    (attributes) => ({ kind: 'system', members: [], unique: false, attributes }),
    ({ objectId, createdAt }) => ({ objectId: objectId!, createdAt: createdAt! }),
  ),
  ...subscribers,
  subscriberBroadcasts,
  ...serviceMessages,
  ...blacklistRoutes('system'),
]
