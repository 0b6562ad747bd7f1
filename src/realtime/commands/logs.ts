import { CONVERSATION_TYPES, type ConversationKind } from '../../messaging/conversation.ts'
import { clientHistory, type LoggedMessage } from '../../messaging/history/client-history.ts'
import type { LogItem } from '../../realtime-protocol/schema.ts'
import { command } from './command.ts'

/** logs — returns a page of history, oldest first whatever its direction (protocol/realtime, History: logs). */
export const answerLogs = command({
  cmd: 'logs',
  op: null,
  rate: 'history',
  notifies: null,
  answered: true,
  async handler(session, { logsMessage = {} }) {
    const { messaging } = session
    const { cid = '' } = logsMessage
    const messages = await clientHistory(messaging, session, cid, logsMessage)
    const conversation = await messaging.conversations.find(cid)
    const logs = messages.map((logged) => itemOf(logged, conversation?.kind ?? 'normal'))
    return { cmd: 'logs', logsMessage: { cid, logs } }
  },
})

function itemOf({ message, receivedAt, readAt }: LoggedMessage, kind: ConversationKind): LogItem {
  const { id, sender, content, ts, bin, patchedAt, mentionAll, mentions } = message
  return {
    msgId: id,
    from: sender,
    data: content,
    timestamp: ts,
    convType: CONVERSATION_TYPES[kind],
    ...(bin && { bin }),
    ...(patchedAt !== null && { patchTimestamp: patchedAt }),
    ...(mentionAll && { mentionAll }),
    ...(mentions.length > 0 && { mentionPids: [...mentions] }),
    ...(receivedAt !== null && { ackAt: receivedAt }),
    ...(readAt !== null && { readAt }),
  }
}
