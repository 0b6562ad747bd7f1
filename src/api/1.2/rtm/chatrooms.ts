import { countMembers } from '../../../messaging/members/conversation-members.ts'
import { someInRoom } from '../../../messaging/members/rooms.ts'
import { ok } from '../../call.ts'
import type { Route } from '../../route.ts'
import { blacklistRoutes } from './blacklist-routes.ts'
import { conversationRoute } from './conversation-route.ts'
import { messageRoutes } from './message-routes.ts'
import { recordRoutes } from './record-routes.ts'
import { roleRoutes } from './role-routes.ts'
import { silenceRoutes } from './silence-routes.ts'

/** Chat rooms (protocol/messaging, One-on-one and group conversations). */
export const chatrooms: readonly Route[] = [
  ...recordRoutes(
    'room',
    (attributes) => ({ kind: 'room', members: [], unique: false, attributes }),
    ({ objectId, createdAt }) => ({ objectId: objectId!, createdAt: createdAt! }),
  ),
  conversationRoute('room', 'GET', '/members', async ({ app }, roomId) =>
    ok({ result: await someInRoom(app.messaging, roomId) }),
  ),
  conversationRoute('room', 'GET', '/members/online-count', async ({ app }, roomId) =>
    ok({ result: await countMembers(app.messaging, null, roomId) }),
  ),
  ...messageRoutes('room'),
  ...silenceRoutes('room'),
  ...roleRoutes('room'),
  ...blacklistRoutes('room'),
]
