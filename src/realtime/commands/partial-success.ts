import type { ListOutcome } from '../../messaging/members/membership.ts'
import type { ErrorCommand } from '../../realtime-protocol/schema.ts'
import { errorOf } from '../refusals.ts'
import type { Session } from '../session.ts'

/** The client's role is too low (protocol/realtime, Error codes). */
const UNAUTHORIZED = 4320

/**
 * Who was served and who was not, for answers to commands about several clients (protocol/realtime, Adding and removing
 * members).
 * @throws MessagingError 4320 when the client may do it to none of them; the first failure, for sessions that know nothing
 * between success and failure (4.2, bit 5)
 */
export function outcomeParts(
  session: Session,
  { allowed, failed }: ListOutcome,
): { allowedPids: string[]; failedPids: ErrorCommand[] } {
  const mayNothing = allowed.length === 0 && failed.every(({ error }) => error.code === UNAUTHORIZED)
  if (failed[0] && (mayNothing || !session.takesPartialSuccess)) throw failed[0].error
  return {
    allowedPids: [...allowed],
    failedPids: failed.map(({ error, clientIds }) => errorOf(error, clientIds)),
  }
}
