import { recordRoutes } from '../../messaging/record-routes.ts'
import type { Route } from '../../route.ts'
import { roomMembers } from './chatrooms/members.ts'
import { blacklistRoutes } from './conversations/blacklists.ts'
import { roleRoutes } from './conversations/member-infos.ts'
import { messageRoutes } from './conversations/messages.ts'
import { permanentSilenceRoutes } from './conversations/permanent-silenceds.ts'
import { temporarySilenceRoutes } from './conversations/temporary-silenceds.ts'

/**
 * Chat rooms (protocol/messaging, One-on-one and group conversations). Routes shared with conversations are in
 * `conversations/`.
 */
export const chatrooms: readonly Route[] = [
  ...recordRoutes(
    'room',
    (attributes) => ({ kind: 'room', members: [], unique: false, attributes }),
    ({ objectId, createdAt }) => ({ objectId: objectId!, createdAt: createdAt! }),
  ),
  ...roomMembers,
  ...messageRoutes('room'),
  ...temporarySilenceRoutes('room'),
  ...permanentSilenceRoutes('room'),
  ...roleRoutes('room'),
  ...blacklistRoutes('room'),
]
