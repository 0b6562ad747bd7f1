import { countMembers } from '../../../messaging/members/conversation-members.ts'
import { someInRoom } from '../../../messaging/members/rooms.ts'
import { findOfKind } from '../../../messaging/records/conversation-state.ts'
import { type Call, ok } from '../../call.ts'
import { requiredText } from '../../request-fields.ts'
import { type Route, route } from '../../route.ts'

const PATH = '/1.1/rtm/transient_group'

/** Current members of a chat room, with the application key (protocol/messaging, Interface 1.1). */
export const transientGroup: readonly Route[] = [
  route({
    method: 'GET',
    path: `${PATH}/onlines`,
    rate: 'queries',
    handler: async (call) => ok({ result: await countMembers(call.app.messaging, null, await roomOf(call)) }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/members`,
    rate: 'queries',
    handler: async (call) => ok({ result: await someInRoom(call.app.messaging, await roomOf(call)) }),
  }),
]

/** @throws ApiError 1; MessagingError 4303, 4314 */
async function roomOf({ app, parameters }: Call): Promise<string> {
  return (await findOfKind(app.messaging, requiredText(parameters, 'gid'), 'room')).id
}
