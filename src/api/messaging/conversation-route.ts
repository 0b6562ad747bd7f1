import type { Failure } from '../../messaging/members/membership.ts'
import { MessagingError } from '../../messaging/messaging-errors.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import type { Answer, Call } from '../call.ts'
import { type AppFacts, masterRoute, type Route } from '../route.ts'

/** Paths of the conversations of each kind; this interface has no temporary ones (protocol/messaging, Messaging over REST). */
export const ROOTS = {
  normal: '/1.2/rtm/conversations',
  room: '/1.2/rtm/chatrooms',
  system: '/1.2/rtm/service-conversations',
} as const

export type Kind = keyof typeof ROOTS

type ConversationFacts = Omit<AppFacts, 'handler'> & {
  readonly handler: (call: Call, convId: string) => Promise<Answer>
}

/**
 * Returns an endpoint of one conversation, for the master key. It is called only for conversations of the kind in the
 * path; for other ids the response is 4303, 4313, 4314 or 4316.
 * @param facts with the part of the path after the id of the conversation
 */
export function conversationRoute(kind: Kind, { path, handler, ...facts }: ConversationFacts): Route {
  return masterRoute({
    ...facts,
    path: `${ROOTS[kind]}/:convId${path}`,
    async handler(call) {
      const { id } = await findOfKind(call.app.messaging, call.params.convId!, kind)
      return handler(call, id)
    },
  })
}

/**
 * Throws the first failure of an operation that failed for some clients, because the response has no member for these.
 * @throws MessagingError the first failure, with the clients concerned
 */
export function throwFailure(failures: readonly Failure[]): void {
  const [failure] = failures
  if (!failure) return
  const { code, reason, detail } = failure.error
  const whom = `The operation failed for ${failure.clientIds.map((id) => `'${id}'`).join(', ')} and is done for the other clients.`
  throw new MessagingError(code, reason, detail ? `${detail} ${whom}` : whom)
}
