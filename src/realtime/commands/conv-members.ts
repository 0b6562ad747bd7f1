import { addMembers } from '../../messaging/members/add-members.ts'
import type { MembersChanged } from '../../messaging/members/membership.ts'
import { removeMembers } from '../../messaging/members/remove-members.ts'
import { checkMemberSignature } from '../../messaging/sessions/signatures.ts'
import type { OperationName } from '../../realtime-protocol/schema.ts'
import { membersOfChange } from '../rates.ts'
import type { Answer, Session } from '../session.ts'
import { command } from './command.ts'
import { outcomeParts, signatureIn } from './parts.ts'

/**
 * conv/add — adds members, joins a conversation or room, or subscribes (protocol/realtime, Adding and removing
 * members).
 */
const addToConversation = command({
  cmd: 'conv',
  op: 'add',
  rate: 'operations',
  notifies: membersOfChange,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging, clientId } = session
    const { cid = '', m = [] } = convMessage
    checkMemberSignature(messaging, clientId, cid, 'invite', m, signatureIn(convMessage))
    return changed(session, 'added', cid, await addMembers(messaging, session, cid, m))
  },
})

/** conv/remove — removes members, or reverses `conv/add` for the client itself. */
const removeFromConversation = command({
  cmd: 'conv',
  op: 'remove',
  rate: 'operations',
  notifies: membersOfChange,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging, clientId } = session
    const { cid = '', m = [] } = convMessage
    checkMemberSignature(messaging, clientId, cid, 'kick', m, signatureIn(convMessage))
    return changed(session, 'removed', cid, await removeMembers(messaging, session, cid, m))
  },
})

function changed(session: Session, op: OperationName, cid: string, outcome: MembersChanged): Answer {
  const { updatedAt } = outcome
  const parts = outcomeParts(session, outcome)
  return { cmd: 'conv', op, convMessage: { cid, ...parts, ...(updatedAt !== null && { udate: updatedAt }) } }
}

export const memberCommands = [addToConversation, removeFromConversation]
