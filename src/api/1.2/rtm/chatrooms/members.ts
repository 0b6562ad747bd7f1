import { countMembers } from '../../../../messaging/members/conversation-members.ts'
import { someInRoom } from '../../../../messaging/members/rooms.ts'
import { ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import type { Route } from '../../../route.ts'

/** Lists and counts the members of a chat room (protocol/messaging, One-on-one and group conversations). */
export const roomMembers: readonly Route[] = [
  conversationRoute('room', {
    method: 'GET',
    path: '/members',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }, roomId) => ok({ result: await someInRoom(app.messaging, roomId) }),
  }),
  conversationRoute('room', {
    method: 'GET',
    path: '/members/online-count',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }, roomId) => ok({ result: await countMembers(app.messaging, null, roomId) }),
  }),
]
