import { keepRoomMembership } from '../messaging/members/rooms.ts'
import type { JsonObject } from '../values/json.ts'
import type { Session } from './session.ts'
import { releaseTag } from './tags.ts'

/** How a session ends. */
export type Ending =
  /** At the client's request. */
  | { readonly kind: 'closed' }
  /** With its connection; the code is that of the close. */
  | { readonly kind: 'lost'; readonly code: number }
  /** With its connection, because this node stops; the client reconnects to another node. */
  | { readonly kind: 'moved' }
  /** By the server. */
  | { readonly kind: 'ended'; readonly code: number; readonly reason: string }

/** Cleans up after a session that has ended. The session is sent nothing more, whatever the outcome. */
export async function leave(session: Session, ending: Ending): Promise<void> {
  const { messaging, wills } = session
  const isComingBack = ending.kind === 'lost' || ending.kind === 'moved'
  // Reads the room before the session is removed from it.
  const kept = isComingBack ? keepRoomMembership(messaging, session) : null
  messaging.presence.remove(session)
  notifyHook(session, ending)
  // The will of a client that was kicked, or closed its session itself, is not sent.
  const will = ending.kind === 'lost' ? wills.fire(session) : wills.drop(session)
  await Promise.all([kept, will, releaseTag(session)])
}

/** `closeCode` of the hook `_clientOffline` (protocol/cloud-code, Messaging hook parameters). */
const CLOSED = 1
const LOST = 2
const CONFLICT = 3
const KICKED = 4

/** Errors of the connection that the hook receives. */
const FAULTS = new Map([
  [4107, 'READ_TIMEOUT'],
  [4108, 'LOGIN_TIMEOUT'],
  [4109, 'FRAME_TOO_LONG'],
  [4114, 'UNPARSEABLE_RAW_MESSAGE'],
  [4200, 'INTERNAL_ERROR'],
])

function notifyHook({ messaging, clientId, tag, connection }: Session, ending: Ending): void {
  const who = { peerId: clientId, tag: tag ?? 'default' }
  messaging.hooks.notify('_clientOffline', { ...who, ...causeOf(ending, connection.remoteAddress) })
}

function causeOf(ending: Ending, sourceIP: string): JsonObject {
  switch (ending.kind) {
    case 'closed':
      return { closeCode: CLOSED, closeMsg: '', sourceIP }
    case 'ended':
      return { closeCode: ending.code === 4111 ? CONFLICT : KICKED, closeMsg: ending.reason, sourceIP }
    case 'moved':
      return { closeCode: LOST, closeMsg: '' }
    case 'lost': {
      const fault = FAULTS.get(ending.code)
      const cause = { closeCode: LOST, closeMsg: '' }
      return fault === undefined ? cause : { ...cause, errorCode: ending.code, errorMsg: fault }
    }
  }
}
