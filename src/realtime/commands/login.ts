import { messagingErrors } from '../../messaging/messaging-errors.ts'
import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Clients } from '../clients.ts'
import { PUSH } from '../data-commands.ts'
import { LIVE_QUERY, type LiveQueryLogins } from '../live-query-logins.ts'
import type { Answer } from '../session.ts'
import { hasNul } from '../texts.ts'

/** The installation of a longer id could not be stored; see push/installations/installation-rules.ts. */
const MAX_ID_LENGTH = 128

/**
 * login — of a live query client, with `service` 1, or of a device that waits for push messages, without
 * (protocol/realtime, Socket commands; protocol/realtime, Push connection (Android)). The answer says expressly which
 * one it was, and comes before any message.
 * @throws MessagingError 4103
 */
export async function logIn(
  clients: Clients,
  liveQueries: LiveQueryLogins,
  { service, installationId }: GenericCommand,
  answer: (answer: Answer) => void,
): Promise<void> {
  if (service === LIVE_QUERY) {
    clients.heedLiveQuery()
    return liveQueries.logIn(installationId, () => answer({ cmd: 'loggedin', service: LIVE_QUERY, installationId }))
  }
  if (installationId !== undefined) checkId(installationId)
  const loggedIn = () => answer({ cmd: 'loggedin', service: PUSH, installationId })
  // The latest login counts, and who has its answer has logged in before whoever begins now.
  if (installationId) clients.serveDevice(installationId, loggedIn)
  else loggedIn()
}

/** logout — of a live query client, with which its queries end, or of a device. */
export async function logOut(
  clients: Clients,
  liveQueries: LiveQueryLogins,
  { service, installationId }: GenericCommand,
): Promise<Answer> {
  if (service === LIVE_QUERY) await liveQueries.logOut(installationId)
  else if (clients.device?.installationId === installationId) clients.leaveDevice()
  return { cmd: 'loggedout', service, installationId }
}

/**
 * ack with `ids` — of what a device or a live query client has received (protocol/realtime, Client acknowledgement;
 * protocol/realtime, Socket commands; protocol/realtime, Push connection (Android)).
 */
export function acknowledge({ device }: Clients, { service, installationId, ackMessage }: GenericCommand): void {
  const ids = ackMessage?.ids?.filter((id) => !hasNul(id)) ?? []
  if (service === LIVE_QUERY || ids.length === 0 || device?.installationId !== installationId) return
  device?.acknowledge(ids)
}

function checkId(installationId: string): void {
  if (hasNul(installationId) || !installationId.isWellFormed() || installationId.length > MAX_ID_LENGTH)
    throw messagingErrors.invalidLogin(`An installation id is a text of at most ${MAX_ID_LENGTH} characters.`)
}
