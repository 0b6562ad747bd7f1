import { countMembers, takesPart } from '../../messaging/members/conversation-members.ts'
import { someInRoom } from '../../messaging/members/rooms.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { jsonPart } from './json-part.ts'
import type { Perform } from './perform.ts'

/**
 * conv/count — how many members a conversation has, or how many sessions are in a chat room (protocol/realtime, Other
 * conversation queries).
 */
export const answerCount: Perform = async (session, { convMessage = {} }) => {
  const { cid = '' } = convMessage
  const count = await countMembers(session.messaging, session, cid)
  return { cmd: 'conv', op: 'result', convMessage: { cid, count } }
}

/** conv/members — some of the clients in a chat room, chosen at random. */
export const answerSomeInRoom: Perform = async ({ messaging }, { convMessage = {} }) => {
  const { cid = '', limit } = convMessage
  await findOfKind(messaging, cid, 'room')
  return { cmd: 'conv', op: 'result', convMessage: { cid, m: await someInRoom(messaging, cid, limit || undefined) } }
}

/** conv/is_member — in which of the conversations the client takes part. */
export const answerTakesPart: Perform = async (session, { convMessage = {} }) => {
  const { cids = [], tempConvIds = [] } = convMessage
  const parts = await takesPart(session.messaging, session, [...cids, ...tempConvIds])
  return { cmd: 'conv', op: 'result', convMessage: { results: jsonPart(parts) } }
}
