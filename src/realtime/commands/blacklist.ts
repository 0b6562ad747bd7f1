import { blockClients, checkBlocked, listBlocked, unblockClients } from '../../messaging/moderation/blacklists.ts'
import { checkBlacklistSignature } from '../../messaging/sessions/signatures.ts'
import { blockConversations, listConversations, unblockConversations } from './own-blacklist.ts'
import { outcomeParts } from './partial-success.ts'
import type { Perform } from './perform.ts'
import { signatureIn } from './signature-part.ts'

/**
 * blacklist/block — keeps clients out of a conversation (protocol/realtime, Blacklist), or one away from the client.
 */
export const block: Perform = async (session, command) => {
  const { messaging, clientId } = session
  const { blacklistMessage = {} } = command
  const { srcCid, toPids = [] } = blacklistMessage
  if (srcCid === undefined) return blockConversations(session, command)
  const action = 'conversation-block-clients'
  checkBlacklistSignature(messaging, clientId, srcCid, action, toPids, signatureIn(blacklistMessage))
  const outcome = await blockClients(messaging, session, srcCid, toPids)
  return { cmd: 'blacklist', op: 'blocked', blacklistMessage: { srcCid, ...outcomeParts(session, outcome) } }
}

/** blacklist/unblock — lets them come again. */
export const unblock: Perform = async (session, command) => {
  const { messaging, clientId } = session
  const { blacklistMessage = {} } = command
  const { srcCid, toPids = [] } = blacklistMessage
  if (srcCid === undefined) return unblockConversations(session, command)
  const action = 'conversation-unblock-clients'
  checkBlacklistSignature(messaging, clientId, srcCid, action, toPids, signatureIn(blacklistMessage))
  const outcome = await unblockClients(messaging, session, srcCid, toPids)
  return { cmd: 'blacklist', op: 'unblocked', blacklistMessage: { srcCid, ...outcomeParts(session, outcome) } }
}

/** blacklist/query — a page of those who are kept out, or of the conversations that the client keeps away. */
export const listBlocks: Perform = async (session, command) => {
  const { messaging } = session
  const { srcCid, limit, next } = command.blacklistMessage ?? {}
  if (srcCid === undefined) return listConversations(session, command)
  const page = await listBlocked(messaging, session, srcCid, { limit, next })
  return {
    cmd: 'blacklist',
    op: 'query_result',
    blacklistMessage: { srcCid, blockedPids: [...page.clientIds], ...(page.next !== null && { next: page.next }) },
  }
}

/** blacklist/check_block — which of the clients are kept out. */
export const checkBlocks: Perform = async (session, { blacklistMessage = {} }) => {
  const { srcCid = '', toPids = [] } = blacklistMessage
  const blockedPids = await checkBlocked(session.messaging, session, srcCid, toPids)
  return { cmd: 'blacklist', op: 'check_result', blacklistMessage: { srcCid, blockedPids } }
}
