import { updateConversation } from '../../messaging/conversations/conversation-changes.ts'
import { setMuted } from '../../messaging/conversations/mutes.ts'
import type { ConvCommand } from '../../realtime-protocol/schema.ts'
import type { Answer, Session } from '../session.ts'
import { jsonPart, objectIn } from './json-part.ts'
import type { Perform } from './perform.ts'

/** conv/update — changes attributes (protocol/realtime, conv/update, mute, unmute). */
export const changeConversation: Perform = async (session, { convMessage = {} }) => {
  const { cid = '', attr } = convMessage
  const wanted = objectIn(attr, 'attr')
  const { updatedAt, attributes, changed } = await updateConversation(session.messaging, session, cid, wanted)
  return updated({ cid, udate: updatedAt, attr: jsonPart(attributes), attrModified: jsonPart(changed) })
}

/** conv/mute — the client wants no push messages for a conversation. */
export const muteConversation: Perform = (session, { convMessage = {} }) => mute(session, convMessage, true)

/** conv/unmute — it wants them again. */
export const unmuteConversation: Perform = (session, { convMessage = {} }) => mute(session, convMessage, false)

async function mute(session: Session, { cid = '' }: ConvCommand, muted: boolean): Promise<Answer> {
  const { updatedAt } = await setMuted(session.messaging, session, cid, muted)
  return updated({ cid, udate: updatedAt })
}

function updated(convMessage: ConvCommand): Answer {
  return { cmd: 'conv', op: 'updated', convMessage }
}
