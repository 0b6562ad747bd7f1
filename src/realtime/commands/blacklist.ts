import { blockClients, checkBlocked, listBlocked, unblockClients } from '../../messaging/moderation/blacklists.ts'
import { checkBlacklistSignature } from '../../messaging/sessions/signatures.ts'
import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import { conversationOf, type Notified } from '../rates.ts'
import { command } from './command.ts'
import { blockConversations, listConversations, unblockConversations } from './own-blacklist.ts'
import { outcomeParts, signatureIn } from './parts.ts'

/** blacklist/block — blocks clients from a conversation, or a conversation for the client (protocol/realtime, Blacklist). */
const block = command({
  cmd: 'blacklist',
  op: 'block',
  rate: 'operations',
  notifies: blacklistMembers,
  answered: true,
  async handler(session, command) {
    const { messaging, clientId } = session
    const { blacklistMessage = {} } = command
    const { srcCid, toPids = [] } = blacklistMessage
    if (srcCid === undefined) return blockConversations(session, command)
    const action = 'conversation-block-clients'
    checkBlacklistSignature(messaging, clientId, srcCid, action, toPids, signatureIn(blacklistMessage))
    const outcome = await blockClients(messaging, session, srcCid, toPids)
    return { cmd: 'blacklist', op: 'blocked', blacklistMessage: { srcCid, ...outcomeParts(session, outcome) } }
  },
})

/** blacklist/unblock — unblocks them. */
const unblock = command({
  cmd: 'blacklist',
  op: 'unblock',
  rate: 'operations',
  notifies: blacklistMembers,
  answered: true,
  async handler(session, command) {
    const { messaging, clientId } = session
    const { blacklistMessage = {} } = command
    const { srcCid, toPids = [] } = blacklistMessage
    if (srcCid === undefined) return unblockConversations(session, command)
    const action = 'conversation-unblock-clients'
    checkBlacklistSignature(messaging, clientId, srcCid, action, toPids, signatureIn(blacklistMessage))
    const outcome = await unblockClients(messaging, session, srcCid, toPids)
    return { cmd: 'blacklist', op: 'unblocked', blacklistMessage: { srcCid, ...outcomeParts(session, outcome) } }
  },
})

/** blacklist/query — lists a page of blocked clients, or of conversations that the client blocks. */
const listBlocks = command({
  cmd: 'blacklist',
  op: 'query',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, command) {
    const { messaging } = session
    const { srcCid, limit, next } = command.blacklistMessage ?? {}
    if (srcCid === undefined) return listConversations(session, command)
    const page = await listBlocked(messaging, session, srcCid, { limit, next })
    return {
      cmd: 'blacklist',
      op: 'query_result',
      blacklistMessage: { srcCid, blockedPids: [...page.clientIds], ...(page.next !== null && { next: page.next }) },
    }
  },
})

/** blacklist/check_block — returns which of the clients are blocked. */
const checkBlocks = command({
  cmd: 'blacklist',
  op: 'check_block',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { blacklistMessage = {} }) {
    const { srcCid = '', toPids = [] } = blacklistMessage
    const blockedPids = await checkBlocked(session.messaging, session, srcCid, toPids)
    return { cmd: 'blacklist', op: 'check_result', blacklistMessage: { srcCid, blockedPids } }
  },
})

function blacklistMembers({ blacklistMessage }: GenericCommand): Notified {
  const { srcCid, toCids = [] } = blacklistMessage ?? {}
  // Without `srcCid` the client blocks these conversations, and leaves them.
  return { convIds: srcCid === undefined ? toCids : conversationOf(srcCid), members: 0 }
}

export const blacklistCommands = [block, unblock, listBlocks, checkBlocks]
