import { countMembers, takesPart } from '../../messaging/members/conversation-members.ts'
import { someInRoom } from '../../messaging/members/rooms.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { command } from './command.ts'
import { jsonPart } from './parts.ts'

/**
 * conv/count — returns the number of members of a conversation, or of sessions in a chat room (protocol/realtime, Other
 * conversation queries).
 */
const answerCount = command({
  cmd: 'conv',
  op: 'count',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cid = '' } = convMessage
    const count = await countMembers(session.messaging, session, cid)
    return { cmd: 'conv', op: 'result', convMessage: { cid, count } }
  },
})

/** conv/members — returns random clients in a chat room. */
const answerSomeInRoom = command({
  cmd: 'conv',
  op: 'members',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler({ messaging }, { convMessage = {} }) {
    const { cid = '', limit } = convMessage
    await findOfKind(messaging, cid, 'room')
    return { cmd: 'conv', op: 'result', convMessage: { cid, m: await someInRoom(messaging, cid, limit || undefined) } }
  },
})

/** conv/is_member — returns in which of the conversations the client participates. */
const answerTakesPart = command({
  cmd: 'conv',
  op: 'is_member',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cids = [], tempConvIds = [] } = convMessage
    const parts = await takesPart(session.messaging, session, [...cids, ...tempConvIds])
    return { cmd: 'conv', op: 'result', convMessage: { results: jsonPart(parts) } }
  },
})

export const countCommands = [answerCount, answerSomeInRoom, answerTakesPart]
