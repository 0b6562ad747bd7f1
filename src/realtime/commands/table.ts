import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Rate } from '../rates.ts'
import { block, checkBlocks, listBlocks, unblock } from './blacklist.ts'
import { changeConversation, muteConversation, unmuteConversation } from './conv-changes.ts'
import { answerCount, answerSomeInRoom, answerTakesPart } from './conv-counts.ts'
import { addToConversation, removeFromConversation } from './conv-members.ts'
import { queryConversations } from './conv-query.ts'
import { changeRole } from './conv-roles.ts'
import { checkSilences, listSilences, silenceMembers, unsilenceMembers } from './conv-silences.ts'
import { startConversation } from './conv-start.ts'
import { sendDirect } from './direct.ts'
import { answerLogs } from './logs.ts'
import { modifyMessage, notePatched } from './patch.ts'
import type { Perform } from './perform.ts'
import { answerMaxRead, noteRead, noteReceived } from './reads.ts'
import { uploadReport } from './report.ts'
import { querySessions, refreshSession } from './session.ts'

/** What a session may ask for (protocol/realtime, Request/reply overview). */
const COMMANDS: ReadonlyMap<string, Perform> = new Map([
  ['session/query', querySessions],
  ['session/refresh', refreshSession],
  ['direct', sendDirect],
  ['ack', noteReceived],
  ['read', noteRead],
  ['logs', answerLogs],
  ['patch/modify', modifyMessage],
  ['patch/modified', notePatched],
  ['report/upload', uploadReport],
  ['conv/start', startConversation],
  ['conv/add', addToConversation],
  ['conv/remove', removeFromConversation],
  ['conv/query', queryConversations],
  ['conv/count', answerCount],
  ['conv/members', answerSomeInRoom],
  ['conv/is_member', answerTakesPart],
  ['conv/max_read', answerMaxRead],
  ['conv/update', changeConversation],
  ['conv/mute', muteConversation],
  ['conv/unmute', unmuteConversation],
  ['conv/member_info_update', changeRole],
  ['conv/add_shutup', silenceMembers],
  ['conv/remove_shutup', unsilenceMembers],
  ['conv/query_shutup', listSilences],
  ['conv/check_shutup', checkSilences],
  ['blacklist/block', block],
  ['blacklist/unblock', unblock],
  ['blacklist/query', listBlocks],
  ['blacklist/check_block', checkBlocks],
])

/**
 * Commands with operations; with others, some clients send one that means nothing (protocol/realtime, GenericCommand).
 */
const WITH_OPERATIONS = new Set(['session', 'conv', 'patch', 'blacklist', 'report'])

/** What is asked for. An operation that is not said is the first of them. */
export function nameOf({ cmd, op = 'open' }: GenericCommand): string {
  return WITH_OPERATIONS.has(cmd) ? `${cmd}/${op}` : cmd
}

const UNLIMITED = new Set(['ack', 'read', 'patch/modified', 'session/close', 'session/refresh', 'report/upload'])

/** What counts for how often a client may ask for it; null: as often as it likes (protocol/realtime, Limits). */
export function rateOf(command: GenericCommand): Rate | null {
  const name = nameOf(command)
  if (UNLIMITED.has(name)) return null
  if (name === 'direct' || name === 'patch/modify') return 'sends'
  return name === 'logs' ? 'history' : 'operations'
}

/** A client that comes or goes costs more than a notification: rows are written. */
const NEW_MEMBER = 4

const MEMBERS_ARE_NOTIFIED = new Set([
  'direct',
  'patch/modify',
  'conv/start',
  'conv/add',
  'conv/remove',
  'conv/update',
  'conv/member_info_update',
  'conv/add_shutup',
  'conv/remove_shutup',
  'blacklist/block',
  'blacklist/unblock',
])

/** A conversation whose members hear of what is asked for, or those who are to be its members; null: nobody else hears of it. */
export function audienceOf(command: GenericCommand): { convId: string | null; members: number } | null {
  if (!MEMBERS_ARE_NOTIFIED.has(nameOf(command))) return null
  const { directMessage, patchMessage, convMessage, blacklistMessage } = command
  const convId =
    directMessage?.cid ?? patchMessage?.patches?.[0]?.cid ?? convMessage?.cid ?? blacklistMessage?.srcCid ?? null
  return { convId: convId || null, members: NEW_MEMBER * (convMessage?.m?.length ?? 0) }
}

export function performFor(command: GenericCommand): Perform | undefined {
  return COMMANDS.get(nameOf(command))
}
