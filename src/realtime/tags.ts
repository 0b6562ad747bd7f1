import type { Directory } from '../bus/directory.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { ClientSession } from '../messaging/presence.ts'
import type { Introduction, Session } from './session.ts'

/*
 * Single sign-on (protocol/realtime, Tag conflict (single sign-on)): of the sessions of a client with the same tag, only one
 * remains on all nodes. The directory stores which session that is, and its device.
 */

/**
 * Checks that a client may reopen its session automatically: not while the tag is in use on another device.
 * @throws MessagingError 4111
 */
export async function checkTag(
  directory: Directory,
  appId: string,
  { clientId, tag, deviceId }: Introduction,
): Promise<void> {
  if (tag === null) return
  const holder = await directory.holder(appId, nameOf(clientId, tag))
  if (holder !== null && partsOf(holder).deviceId !== (deviceId ?? '')) throw messagingErrors.sessionConflict()
}

/** Assigns the tag to a session, whichever session had it before. */
export async function claimTag(session: Session): Promise<void> {
  const { directory, messaging, clientId, tag } = session
  if (tag !== null) await directory.claim(messaging.appId, nameOf(clientId, tag), holderOf(session))
}

/**
 * Ends the other sessions with the tag, on all nodes. The response to the login is written first, so that the other connections
 * end after it.
 */
export function endOthers({ connection, messaging, id, clientId, tag }: Session): void {
  if (tag === null) return
  connection.flush()
  const { code, reason } = messagingErrors.sessionConflict()
  messaging.presence.endSessions({ clientId, tag, except: id }, code, reason)
}

/**
 * Resolves conflicts of sessions that got the same tag on several nodes during an outage: the latest one remains. Called when the
 * nodes are connected again; each node handles its own sessions.
 */
export async function settleTags({ appId, presence }: Messaging, directory: Directory): Promise<void> {
  const { code, reason } = messagingErrors.sessionConflict()
  for (const session of presence.sessions()) {
    const { id, clientId, tag, openedAt } = session
    if (tag === null) continue
    const [name, own] = [nameOf(clientId, tag), holderOf(session)]
    const holder = await directory.holder(appId, name)
    const isThere = () => presence.sessionsOf(clientId).includes(session)
    if (holder === own || !isThere()) continue
    if (holder !== null && isLater(holder, own)) {
      session.end(code, reason)
      continue
    }
    await directory.claim(appId, name, own)
    if (isThere()) presence.endSessions({ clientId, tag, except: id, openedUntil: openedAt }, code, reason)
    else await directory.release(appId, name, own)
  }
}

/** Releases the tag of a session that has ended, if it still has it. */
export async function releaseTag(session: Session): Promise<void> {
  const { directory, messaging, clientId, tag } = session
  if (tag !== null) await directory.release(messaging.appId, nameOf(clientId, tag), holderOf(session))
}

function nameOf(clientId: string, tag: string): string {
  return JSON.stringify([clientId, tag])
}

/** Ids of sessions have no spaces. */
function holderOf({ id, openedAt, deviceId }: ClientSession): string {
  return `${openedAt} ${id} ${deviceId ?? ''}`
}

function partsOf(holder: string): { openedAt: number; id: string; deviceId: string } {
  const [openedAt, id] = holder.split(' ', 2) as [string, string]
  return { openedAt: Number(openedAt), id, deviceId: holder.slice(openedAt.length + id.length + 2) }
}

/** Orders sessions. If they began in the same millisecond, all nodes select the same one as the later. */
function isLater(holder: string, than: string): boolean {
  const [first, second] = [partsOf(holder), partsOf(than)]
  return first.openedAt === second.openedAt ? first.id > second.id : first.openedAt > second.openedAt
}
