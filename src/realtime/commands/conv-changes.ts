import { updateConversation } from '../../messaging/conversations/conversation-changes.ts'
import { setMuted } from '../../messaging/conversations/mutes.ts'
import type { ConvCommand } from '../../realtime-protocol/schema.ts'
import { conversationMembers } from '../rates.ts'
import type { Answer, Session } from '../session.ts'
import { command } from './command.ts'
import { jsonPart, objectIn } from './parts.ts'

/** conv/update — changes attributes (protocol/realtime, conv/update, mute, unmute). */
const changeConversation = command({
  cmd: 'conv',
  op: 'update',
  rate: 'operations',
  notifies: conversationMembers,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cid = '', attr } = convMessage
    const wanted = objectIn(attr, 'attr')
    const { updatedAt, attributes, changed } = await updateConversation(session.messaging, session, cid, wanted)
    return updated({ cid, udate: updatedAt, attr: jsonPart(attributes), attrModified: jsonPart(changed) })
  },
})

/** conv/mute — mutes push notifications of a conversation for the client. */
const muteConversation = command({
  cmd: 'conv',
  op: 'mute',
  rate: 'operations',
  notifies: null,
  answered: true,
  handler: (session, { convMessage = {} }) => mute(session, convMessage, true),
})

/** conv/unmute — unmutes them. */
const unmuteConversation = command({
  cmd: 'conv',
  op: 'unmute',
  rate: 'operations',
  notifies: null,
  answered: true,
  handler: (session, { convMessage = {} }) => mute(session, convMessage, false),
})

async function mute(session: Session, { cid = '' }: ConvCommand, muted: boolean): Promise<Answer> {
  const { updatedAt } = await setMuted(session.messaging, session, cid, muted)
  return updated({ cid, udate: updatedAt })
}

function updated(convMessage: ConvCommand): Answer {
  return { cmd: 'conv', op: 'updated', convMessage }
}

export const changeCommands = [changeConversation, muteConversation, unmuteConversation]
