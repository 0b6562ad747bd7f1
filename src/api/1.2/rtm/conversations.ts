import type { NewConversation } from '../../../messaging/conversations/create-conversation.ts'
import type { JsonObject } from '../../../values/json.ts'
import { recordRoutes } from '../../messaging/record-routes.ts'
import { clientsIn, flagIn } from '../../request-fields.ts'
import type { Route } from '../../route.ts'
import { blacklistRoutes } from './conversations/blacklists.ts'
import { roleRoutes } from './conversations/member-infos.ts'
import { members } from './conversations/members.ts'
import { messageRoutes } from './conversations/messages.ts'
import { mutes } from './conversations/mutes.ts'
import { permanentSilenceRoutes } from './conversations/permanent-silenceds.ts'
import { temporarySilenceRoutes } from './conversations/temporary-silenceds.ts'

/** One-on-one and group conversations (protocol/messaging, One-on-one and group conversations). */
export const conversations: readonly Route[] = [
  ...recordRoutes('normal', wantedOf, (record) => record),
  ...members,
  ...mutes,
  ...messageRoutes('normal'),
  ...temporarySilenceRoutes('normal'),
  ...permanentSilenceRoutes('normal'),
  ...roleRoutes('normal'),
  ...blacklistRoutes('normal'),
]

function wantedOf(fields: JsonObject): NewConversation {
  const { m: _, unique: __, ...attributes } = fields
  return { kind: 'normal', members: clientsIn(fields, 'm'), unique: flagIn(fields, 'unique'), attributes }
}
