import type { ListOutcome } from '../../messaging/membership.ts'
import { errorOf } from '../refusals.ts'
import type { ErrorCommand } from '../schema.ts'
import type { Session } from '../session.ts'

/**
 * Who was served and who was not, for answers to commands about several clients (spec/realtime-protocol, 5.3).
 * @throws MessagingError the first failure, for sessions that know nothing between success and failure (4.2, bit 5)
 */
export function outcomeParts(
  session: Session,
  { allowed, failed }: ListOutcome,
): { allowedPids: string[]; failedPids: ErrorCommand[] } {
  if (failed[0] && !session.takesPartialSuccess) throw failed[0].error
  return {
    allowedPids: [...allowed],
    failedPids: failed.map(({ error, clientIds }) => errorOf(error, clientIds)),
  }
}
