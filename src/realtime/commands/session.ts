import { checkSessionSignature } from '../../messaging/sessions/signatures.ts'
import { holderOfToken } from '../../messaging/sessions/token-holder.ts'
import { unbindDevice } from '../bound-device.ts'
import type { Clients } from '../clients.ts'
import type { Answer, Session } from '../session.ts'
import type { Perform } from './perform.ts'
import { tokenFor } from './session-open.ts'
import { signatureIn } from './signature-part.ts'

/** protocol/realtime, Limits */
const MAX_QUERIED = 20

/**
 * session/close — the client logs out by itself, and its device is no longer its own (protocol/push, Life of an
 * installation).
 */
export async function closeSession(clients: Clients, session: Session): Promise<Answer> {
  await clients.end(session, { kind: 'closed' })
  unbindDevice(session)
  return { cmd: 'session', op: 'closed' }
}

/** session/refresh — a new token for the one that is going to expire (protocol/realtime, Other session commands). */
export const refreshSession: Perform = async (session, { sessionMessage = {} }) => {
  const { messaging, clientId } = session
  const holder = sessionMessage.st ? await holderOfToken(messaging, sessionMessage.st) : null
  if (holder?.clientId !== clientId) await checkSessionSignature(messaging, clientId, signatureIn(sessionMessage))
  return { cmd: 'session', op: 'refreshed', serverTs: Date.now(), sessionMessage: tokenFor(session) }
}

/** session/query — which of up to 20 clients are online. */
export const querySessions: Perform = async ({ messaging }, { sessionMessage = {} }) => {
  const ids = (sessionMessage.sessionPeerIds ?? []).slice(0, MAX_QUERIED)
  const online = await messaging.presence.online(ids)
  return {
    cmd: 'session',
    op: 'query_result',
    sessionMessage: { onlineSessionPeerIds: ids.filter((id) => online.has(id)) },
  }
}
