import { checkSessionSignature } from '../../messaging/sessions/signatures.ts'
import { holderOfToken } from '../../messaging/sessions/token-holder.ts'
import { unbindDevice } from '../bound-device.ts'
import { command } from './command.ts'
import { signatureIn } from './parts.ts'
import { tokenFor } from './session-open.ts'

/** protocol/realtime, Limits */
const MAX_QUERIED = 20

/** session/close — logs the client out, and unbinds its device (protocol/push, Life of an installation). */
const closeSession = command({
  cmd: 'session',
  op: 'close',
  rate: null,
  notifies: null,
  answered: true,
  async handler(session, _command, clients) {
    await clients.end(session, { kind: 'closed' })
    unbindDevice(session)
    return { cmd: 'session', op: 'closed' }
  },
})

/** session/refresh — returns a new token for one that will expire (protocol/realtime, Other session commands). */
const refreshSession = command({
  cmd: 'session',
  op: 'refresh',
  rate: null,
  notifies: null,
  answered: true,
  async handler(session, { sessionMessage = {} }) {
    const { messaging, clientId } = session
    const holder = sessionMessage.st ? await holderOfToken(messaging, sessionMessage.st) : null
    if (holder?.clientId !== clientId) await checkSessionSignature(messaging, clientId, signatureIn(sessionMessage))
    return { cmd: 'session', op: 'refreshed', serverTs: Date.now(), sessionMessage: tokenFor(session) }
  },
})

/** session/query — returns which of up to 20 clients are online. */
const querySessions = command({
  cmd: 'session',
  op: 'query',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler({ messaging }, { sessionMessage = {} }) {
    const ids = (sessionMessage.sessionPeerIds ?? []).slice(0, MAX_QUERIED)
    const online = await messaging.presence.online(ids)
    return {
      cmd: 'session',
      op: 'query_result',
      sessionMessage: { onlineSessionPeerIds: ids.filter((id) => online.has(id)) },
    }
  },
})

export const sessionCommands = [refreshSession, querySessions, closeSession]
