import { findConversations, findTemporaryConversations } from '../../messaging/conversations/find-conversations.ts'
import { command } from './command.ts'
import { jsonPart } from './parts.ts'

/** Bits of `flag` (protocol/realtime, conv/query). */
const COMPACT = 1
const LAST_MESSAGE = 2

/** conv/query — finds conversations by a condition, or temporary ones by their ids (protocol/realtime, conv/query). */
export const queryConversations = command({
  cmd: 'conv',
  op: 'query',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging } = session
    const { where, sort, skip, limit, flag = 0, tempConvIds = [] } = convMessage
    const shown = { compact: (flag & COMPACT) !== 0, lastMessage: (flag & LAST_MESSAGE) !== 0 }
    const found =
      tempConvIds.length > 0
        ? findTemporaryConversations(messaging, session, tempConvIds, shown)
        : findConversations(messaging, session, { where: where?.data, sort, skip, limit, ...shown })
    const results = await session.queryAnswers.order(found)
    return { cmd: 'conv', op: 'results', convMessage: { results: jsonPart(results) } }
  },
})
