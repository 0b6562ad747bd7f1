import type { GenericCommand } from '../../realtime-protocol/schema.ts'
import type { Answer, Session } from '../session.ts'

/**
 * Does what a session asks for with a command.
 * @returns the answer; null where clients expect none
 * @throws ApiError with which the request is refused
 */
export type Perform = (session: Session, command: GenericCommand) => Promise<Answer | null>
