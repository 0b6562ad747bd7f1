import { createConversation } from '../../messaging/conversations/create-conversation.ts'
import { createTemporary } from '../../messaging/conversations/temporary-conversations.ts'
import { checkStartSignature } from '../../messaging/sessions/signatures.ts'
import type { ConvCommand } from '../../realtime-protocol/schema.ts'
import { conversationMembers } from '../rates.ts'
import type { Answer, Session } from '../session.ts'
import { command } from './command.ts'
import { objectIn, signatureIn } from './parts.ts'

/** conv/start — creates a conversation, or finds the unique one of the same members (protocol/realtime, conv/start). */
export const startConversation = command({
  cmd: 'conv',
  op: 'start',
  rate: 'operations',
  notifies: conversationMembers,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging, clientId } = session
    checkStartSignature(messaging, clientId, convMessage.m ?? [], signatureIn(convMessage))
    return convMessage.tempConv ? startTemporary(session, convMessage) : startLasting(session, convMessage)
  },
})

async function startLasting(session: Session, { m = [], transient, unique, attr }: ConvCommand): Promise<Answer> {
  const { id, record, existing } = await createConversation(session.messaging, session, {
    kind: transient ? 'room' : 'normal',
    members: m,
    attributes: objectIn(attr, 'attr'),
    unique: unique ?? false,
  })
  const { createdAt, uniqueId } = record
  return started({
    cid: id,
    cdate: String(createdAt),
    ...(typeof uniqueId === 'string' && { uniqueId }),
    ...(existing && { existing }),
  })
}

async function startTemporary(session: Session, { m = [], unique, tempConvTTL }: ConvCommand): Promise<Answer> {
  const wanted = { members: m, ttl: tempConvTTL ?? null, unique: unique ?? false }
  const { conversation, ttl, existing } = await createTemporary(session.messaging, session, wanted)
  return started({
    cid: conversation.id,
    cdate: new Date(conversation.createdAt).toISOString(),
    // Clients compute the expiration from it, so it is included even if the request has none.
    tempConvTTL: ttl,
    ...(existing && { existing }),
  })
}

function started(convMessage: ConvCommand): Answer {
  return { cmd: 'conv', op: 'started', convMessage }
}
