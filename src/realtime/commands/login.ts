import { messagingErrors } from '../../messaging/messaging-errors.ts'
import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Clients } from '../clients.ts'
import { PUSH } from '../device.ts'
import { LIVE_QUERY } from '../live-query-logins.ts'
import { hasNul } from '../texts.ts'
import { command } from './command.ts'

/** The installation of a longer id could not be stored; see push/installations/installation-rules.ts. */
const MAX_ID_LENGTH = 128

/**
 * login — of a live query client, with `service` 1, or of a device that waits for push messages, without
 * (protocol/realtime, Socket commands; protocol/realtime, Push connection (Android)). The response says expressly which
 * of them it was, and comes before any message. It is refused with MessagingError 4103.
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
      clients.heedLiveQuery()
      return liveQueries.logIn(installationId, () => reply({ cmd: 'loggedin', service: LIVE_QUERY, installationId }))
    }
    if (installationId !== undefined) checkId(installationId)
    const loggedIn = () => reply({ cmd: 'loggedin', service: PUSH, installationId })
    // The latest login counts, and a client that has its response has logged in before one that begins now.
    if (installationId) clients.serveDevice(installationId, loggedIn)
    else loggedIn()
  },
  early: (early, command) => early.logIn(command),
})

/** logout — of a live query client, with which its queries end, or of a device. */
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
 * ack with `ids` — of what a device or a live query client has received (protocol/realtime, Client acknowledgement;
 * protocol/realtime, Socket commands; protocol/realtime, Push connection (Android)).
 * @returns false when the command has no `ids`: a client of messaging has sent it
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
    throw messagingErrors.invalidLogin(`An installation id is a text of at most ${MAX_ID_LENGTH} characters.`)
}
