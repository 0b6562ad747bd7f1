import { messagingErrors } from '../../messaging/messaging-errors.ts'
import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Clients } from '../clients.ts'
import { PUSH } from '../device.ts'
import { LIVE_QUERY } from '../live-query-logins.ts'
import { hasNul } from '../texts.ts'
import { command } from './command.ts'

/** An installation with a longer id could not be stored; see push/installations/installation-rules.ts. */
const MAX_ID_LENGTH = 128

/**
 * login — logs in a live query client, with `service` 1, or a device for push messages, without `service` (protocol/realtime,
 * Socket commands; protocol/realtime, Push connection (Android)). The response names the service explicitly, and precedes any
 * message. Rejects with MessagingError 4103.
 */
export const logIn = command({
  cmd: 'login',
  op: null,
  rate: null,
  notifies: null,
  answered: true,
  needsSession: false,
  logsIn: 'installation',
  async handler({ clients, liveQueries }, { service, installationId }, reply) {
    if (service === LIVE_QUERY) {
      clients.noteLiveQueryLogin()
      return liveQueries.logIn(installationId, () => reply({ cmd: 'loggedin', service: LIVE_QUERY, installationId }))
    }
    if (installationId !== undefined) checkId(installationId)
    const loggedIn = () => reply({ cmd: 'loggedin', service: PUSH, installationId })
    // The latest login wins, so the response is sent only after this login has its position: later ones follow it.
    if (installationId) clients.serveDevice(installationId, loggedIn)
    else loggedIn()
  },
  early: (early, command) => early.logIn(command),
})

/** logout — logs out a live query client, which ends its queries, or a device. */
export const logOut = command({
  cmd: 'logout',
  op: null,
  rate: null,
  notifies: null,
  answered: true,
  needsSession: false,
  logsIn: null,
  async handler({ clients, liveQueries }, { service, installationId }, reply) {
    if (service === LIVE_QUERY) await liveQueries.logOut(installationId)
    else if (clients.device?.installationId === installationId) clients.leaveDevice()
    reply({ cmd: 'loggedout', service, installationId })
  },
  early: (early, command) => early.logOut(command),
})

/**
 * ack with `ids` — acknowledges messages of a device or a live query client (protocol/realtime, Client acknowledgement;
 * protocol/realtime, Socket commands; protocol/realtime, Push connection (Android)).
 * @returns false for a command without `ids`, which comes from a client of messaging
 */
export function acknowledgeInstallation(
  { device }: Clients,
  { service, installationId, ackMessage }: GenericCommand,
): boolean {
  if (ackMessage?.ids === undefined) return false
  const ids = ackMessage.ids.filter((id) => !hasNul(id))
  if (service !== LIVE_QUERY && ids.length > 0 && device?.installationId === installationId) device?.acknowledge(ids)
  return true
}

function checkId(installationId: string): void {
  if (hasNul(installationId) || !installationId.isWellFormed() || installationId.length > MAX_ID_LENGTH)
    throw messagingErrors.invalidLogin(`An installation id must be a string of at most ${MAX_ID_LENGTH} characters.`)
}
