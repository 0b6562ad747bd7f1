import { checkSilenced, listSilenced, silence, unsilence } from '../../messaging/moderation/silences.ts'
import { conversationMembers } from '../rates.ts'
import { command } from './command.ts'
import { outcomeParts } from './parts.ts'

/** conv/add_shutup — silences members (protocol/realtime, Speech bans). */
const silenceMembers = command({
  cmd: 'conv',
  op: 'add_shutup',
  rate: 'operations',
  notifies: conversationMembers,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging } = session
    const { cid = '', m = [] } = convMessage
    const outcome = await silence(messaging, session, cid, m)
    return { cmd: 'conv', op: 'shutup_added', convMessage: { cid, ...outcomeParts(session, outcome) } }
  },
})

/** conv/remove_shutup — lifts the silence of members. */
const unsilenceMembers = command({
  cmd: 'conv',
  op: 'remove_shutup',
  rate: 'operations',
  notifies: conversationMembers,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { messaging } = session
    const { cid = '', m = [] } = convMessage
    const outcome = await unsilence(messaging, session, cid, m)
    return { cmd: 'conv', op: 'shutup_removed', convMessage: { cid, ...outcomeParts(session, outcome) } }
  },
})

/** conv/query_shutup — lists a page of silenced clients. */
const listSilences = command({
  cmd: 'conv',
  op: 'query_shutup',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cid = '', limit, next } = convMessage
    const page = await listSilenced(session.messaging, session, cid, { limit, next })
    return {
      cmd: 'conv',
      op: 'shutup_result',
      convMessage: { cid, m: [...page.clientIds], ...(page.next !== null && { next: page.next }) },
    }
  },
})

/** conv/check_shutup — returns which of the clients are silenced. */
const checkSilences = command({
  cmd: 'conv',
  op: 'check_shutup',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
    const { cid = '', m = [] } = convMessage
    return {
      cmd: 'conv',
      op: 'check_result',
      convMessage: { cid, m: await checkSilenced(session.messaging, session, cid, m) },
    }
  },
})

export const silenceCommands = [silenceMembers, unsilenceMembers, listSilences, checkSilences]
