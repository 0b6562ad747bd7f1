import type { Directory } from '../bus/directory.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { Introduction, Session } from './session.ts'

/*
 * Single sign-on (spec/realtime-protocol, 4.4): of the sessions of a client that have the same tag, one remains, on
 * whatever node. The directory knows which one that is, and on which device.
 */

/**
 * Checks that a client may open its session again without being asked: not while the tag is in use on another device.
 * @throws MessagingError 4111
 */
export async function checkTag(
  directory: Directory,
  appId: string,
  { clientId, tag, deviceId }: Introduction,
): Promise<void> {
  if (tag === null) return
  const holder = await directory.holder(appId, nameOf(clientId, tag))
  if (holder !== null && deviceOf(holder) !== (deviceId ?? '')) throw messagingErrors.sessionConflict()
}

/** Gives a session its tag, whichever session had it before. */
export async function claimTag(session: Session): Promise<void> {
  const { directory, messaging, clientId, tag } = session
  if (tag !== null) await directory.claim(messaging.appId, nameOf(clientId, tag), holderOf(session))
}

/** Ends the other sessions that have the tag, on all nodes. */
export function endOthers({ messaging, id, clientId, tag }: Session): void {
  if (tag === null) return
  const { code, reason } = messagingErrors.sessionConflict()
  messaging.presence.endSessions({ clientId, tag, except: id }, code, reason)
}

/** A session that has ended gives its tag back, if it has it still. */
export async function releaseTag(session: Session): Promise<void> {
  const { directory, messaging, clientId, tag } = session
  if (tag !== null) await directory.release(messaging.appId, nameOf(clientId, tag), holderOf(session))
}

function nameOf(clientId: string, tag: string): string {
  return JSON.stringify([clientId, tag])
}

/** The id of a session has no space. */
function holderOf({ id, deviceId }: Session): string {
  return `${id} ${deviceId ?? ''}`
}

function deviceOf(holder: string): string {
  return holder.slice(holder.indexOf(' ') + 1)
}
