import type { GenericCommand } from '../schema.ts'
import type { Answer } from '../session.ts'

const LIVE_QUERY = 1
const PUSH = 0

/**
 * login — of a live query client, with `service` 1, or of a device that waits for push messages, without
 * (spec/realtime-protocol, 7.2 and 8). The answer says expressly which one it was.
 */
export function logIn({ service, installationId }: GenericCommand): Answer {
  return { cmd: 'loggedin', service: service === LIVE_QUERY ? LIVE_QUERY : PUSH, installationId }
}

/** logout — of a live query client. */
export function logOut({ service, installationId }: GenericCommand): Answer {
  return { cmd: 'loggedout', service, installationId }
}
