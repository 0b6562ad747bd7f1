import { randomUUID } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { MissedKinds } from '../../messaging/absence.ts'
import { isClientId } from '../../messaging/client-ids.ts'
import { dropRoomMembership, takeRoomMembership } from '../../messaging/members/rooms.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import { messagingErrors } from '../../messaging/messaging-errors.ts'
import { missedPatches } from '../../messaging/reading/missed-patches.ts'
import { endIfKicked } from '../../messaging/sessions/kick-client.ts'
import { lifeLeft, type ReadToken, sessionToken, TOKEN_LIFE } from '../../messaging/sessions/session-tokens.ts'
import { checkSessionSignature } from '../../messaging/sessions/signatures.ts'
import { holderOfToken } from '../../messaging/sessions/token-holder.ts'
import type { SessionCommand } from '../../realtime-protocol/schema.ts'
import { bindDevice } from '../bound-device.ts'
import type { Clients } from '../clients.ts'
import { countCommand } from '../rates.ts'
import type { Answer, Introduction, Session, SessionContext } from '../session.ts'
import { checkTag, claimTag, endOthers, releaseTag } from '../tags.ts'
import { hasNul } from '../texts.ts'
import { command, type Reply } from './command.ts'
import { signatureIn } from './parts.ts'

/**
 * session/open — logs a client in (protocol/realtime, session/open as sent; protocol/realtime, Refusing an open), responds, and
 * then sends it the events that it has missed.
 */
export const openSession = command({
  cmd: 'session',
  op: 'open',
  rate: null,
  notifies: null,
  answered: true,
  needsSession: false,
  logsIn: 'client',
  handler: ({ clients }, { peerId, sessionMessage = {} }, reply) => open(clients, peerId, sessionMessage, reply),
})

/**
 * Opens a session.
 * @param reply called with the id of the client
 * @throws MessagingError 4102, 4103, 4111, 4112, 4116
 */
async function open(
  clients: Clients,
  peerId: string | undefined,
  sessionMessage: SessionCommand,
  reply: Reply,
): Promise<void> {
  // An anonymous client gets an id (protocol/realtime, session/open as sent).
  const clientId = peerId || randomUUID()
  if (!isClientId(clientId)) throw messagingErrors.invalidLogin('A client id must have 1 to 64 characters.')
  await clients.opening(clientId, async (context) => {
    if (context.connection.closed) return
    const begun = Date.now()
    const known = clients.find(clientId)
    if (known) return reply(openedAnswer(known), clientId)
    const { introduction, token } = await admit(context, clientId, sessionMessage)
    const session = clients.prepare(introduction)
    if (context.connection.closed) return
    await claimTag(session)
    if (context.connection.closed) return releaseTag(session)
    // Synchronous from here on, so that all notifications follow the response.
    clients.add(session)
    reply(openedAnswer(session, token), clientId)
    context.messaging.presence.add(session)
    endOthers(session)
    notifyHook(session, sessionMessage)
    if (session.bindsDevice) bindDevice(session)
    void notifyMissed(session, sessionMessage, begun)
  })
}

/** Checks the client that opens a session, and reads from its token what a reconnecting client does not repeat. */
async function admit(
  { connection, messaging, directory }: SessionContext,
  clientId: string,
  message: SessionCommand,
): Promise<{ introduction: Introduction; token: SessionCommand | undefined }> {
  await countCommand(messaging, 'operations', clientId, connection.remoteAddress)
  const holder = message.st ? await checkToken(messaging, clientId, message.st) : null
  if (!holder) await checkSessionSignature(messaging, clientId, signatureIn(message))
  const introduction = {
    clientId,
    tag: tagOf(message.tag || (holder?.tag ?? '')),
    deviceId: message.deviceToken || message.deviceId || (holder?.deviceId ?? null),
    capabilities: message.configBitmap,
    hasPushToken: Boolean(message.deviceToken),
  }
  checkIntroduction(introduction)
  if (message.r) await checkTag(directory, messaging.appId, introduction)
  return { introduction, token: holder ? reusedToken(message, holder, introduction) : undefined }
}

/** Maximum length of texts that are stored for offline clients: they are in indexes, which cannot hold long texts. */
export const MAX_DEVICE_LENGTH = 256

/** Checks the tag and the device. @throws MessagingError 4103 */
function checkIntroduction({ tag, deviceId }: Introduction): void {
  const texts = [tag ?? '', deviceId ?? '']
  if (hasNul(texts) || texts.some(({ length }) => length > MAX_DEVICE_LENGTH))
    throw messagingErrors.invalidLogin(`Tag and device must have at most ${MAX_DEVICE_LENGTH} characters each.`)
}

/** Returns the holder of a session token. @throws MessagingError 4112 */
async function checkToken(messaging: Messaging, clientId: string, token: string): Promise<ReadToken> {
  const holder = await holderOfToken(messaging, token)
  if (holder?.clientId !== clientId) throw messagingErrors.sessionTokenExpired()
  return holder
}

/** Returns the tag of a session. `default` means none (protocol/realtime, session/open as sent). */
function tagOf(tag: string): string | null {
  return tag === '' || tag === 'default' ? null : tag
}

function openedAnswer(session: Session, token = tokenFor(session)): Answer {
  return { cmd: 'session', op: 'opened', serverTs: Date.now(), sessionMessage: token }
}

/** Returns the current token if a new one would say the same and half of its lifetime is left: many clients reconnect at once. */
function reusedToken(
  { st }: SessionCommand,
  shown: ReadToken,
  { tag, deviceId }: Introduction,
): SessionCommand | undefined {
  const stTtl = lifeLeft(shown)
  return shown.tag === tag && shown.deviceId === deviceId && stTtl > TOKEN_LIFE / 2 ? { st, stTtl } : undefined
}

/** Returns a token by which the session can be reopened, and its lifetime in seconds. */
export function tokenFor({ messaging, clientId, tag, deviceId }: Session): SessionCommand {
  return { st: sessionToken(messaging.masterKey(), messaging.appId, { clientId, tag, deviceId }), stTtl: TOKEN_LIFE }
}

function notifyHook({ messaging, clientId, tag, connection }: Session, { r }: SessionCommand): void {
  messaging.hooks.notify('_clientOnline', {
    peerId: clientId,
    sourceIP: connection.remoteAddress,
    tag: tag ?? 'default',
    reconnect: r ? 1 : 0,
  })
}

/** Sends a client the events that it has missed. A failure of one kind does not prevent the others. */
async function notifyMissed(session: Session, message: SessionCommand, begun: number): Promise<void> {
  const { messaging, clientId } = session
  const steps = [
    endIfKicked(messaging, session, begun),
    notifyChanges(session, message),
    // A reconnecting client returns to its room; a new session starts outside (protocol/realtime, Chat rooms).
    message.r || message.st ? takeRoomMembership(messaging, session) : dropRoomMembership(messaging, session),
    messaging.dailyClients.note(clientId).then((broadcast) => broadcast && session.push(broadcast)),
  ]
  for (const outcome of await Promise.allSettled<unknown>(steps)) {
    if (outcome.status === 'fulfilled') continue
    const { reason: error } = outcome
    // The client has disconnected meanwhile: it gets the events when it reconnects.
    if (error instanceof ApiError && error.status === 499) continue
    session.connection.log.error({ app: session.connection.appId, error }, 'sending missed events to client failed')
  }
}

/** Sends changes of messages first, then unread counts or messages (protocol/realtime, session/opened). */
async function notifyChanges(session: Session, message: SessionCommand): Promise<void> {
  const { messaging, clientId, offlineMessages, unread } = session
  // A client without a time has no messages yet that could have changed.
  const patchesSince = timeIn(message.lastPatchTime)
  const unreadSince = timeIn(message.lastUnreadNotifTime)
  let missed: MissedKinds | undefined
  try {
    missed = await messaging.missed.missedKinds({ clientId, patchesSince, unreadSince }, session.principal)
    if (missed.patches && patchesSince !== null) await notifyPatches(session, patchesSince)
  } finally {
    if (offlineMessages) await offlineMessages.begin()
    else if (missed?.unread === false) unread?.end()
    else await unread?.begin(unreadSince)
  }
}

function timeIn(time: number | undefined): number | null {
  return time && time > 0 ? time : null
}

async function notifyPatches(session: Session, since: number): Promise<void> {
  for await (const patches of missedPatches(session.messaging, session.clientId, since)) {
    if (!session.isOpen) return
    session.push({ kind: 'patches', patches })
  }
}
