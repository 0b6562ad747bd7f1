import {
  blockConversations as keepAway,
  listBlockedConversations,
  unblockConversation,
} from '../../messaging/moderation/client-blacklists.ts'
import { type BlacklistAction, checkBlacklistSignature } from '../../messaging/sessions/signatures.ts'
import type { BlacklistCommand, GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Answer, Session } from '../session.ts'
import { signatureIn } from './parts.ts'

/*
 * The other direction of the blacklist: conversations that a client blocks for itself (protocol/realtime, Blacklist). A client
 * cannot block on behalf of another one, so `srcPid` is ignored.
 */

/** blacklist/block with `toCids` */
export async function blockConversations(session: Session, { blacklistMessage = {} }: GenericCommand): Promise<Answer> {
  const { messaging, clientId } = session
  const { toCids = [] } = blacklistMessage
  checkSignature(session, 'client-block-conversations', blacklistMessage)
  await keepAway(messaging, clientId, clientId, toCids)
  return { cmd: 'blacklist', op: 'blocked', blacklistMessage: { srcPid: clientId, toCids } }
}

/** blacklist/unblock with `toCids` */
export async function unblockConversations(
  session: Session,
  { blacklistMessage = {} }: GenericCommand,
): Promise<Answer> {
  const { messaging, clientId } = session
  const { toCids = [] } = blacklistMessage
  checkSignature(session, 'client-unblock-conversations', blacklistMessage)
  for (const convId of toCids) await unblockConversation(messaging, clientId, convId)
  return { cmd: 'blacklist', op: 'unblocked', blacklistMessage: { srcPid: clientId, toCids } }
}

/** blacklist/query without `srcCid` */
export async function listConversations(
  { messaging, clientId }: Session,
  { blacklistMessage = {} }: GenericCommand,
): Promise<Answer> {
  const { limit, next } = blacklistMessage
  const page = await listBlockedConversations(messaging, clientId, { limit, next })
  return {
    cmd: 'blacklist',
    op: 'query_result',
    blacklistMessage: {
      srcPid: clientId,
      blockedCids: [...page.convIds],
      ...(page.next !== null && { next: page.next }),
    },
  }
}

/** Checks the signatures. Each covers one conversation. */
function checkSignature({ messaging, clientId }: Session, action: BlacklistAction, message: BlacklistCommand): void {
  for (const convId of message.toCids ?? []) {
    checkBlacklistSignature(messaging, clientId, convId, action, [], signatureIn(message))
  }
}
