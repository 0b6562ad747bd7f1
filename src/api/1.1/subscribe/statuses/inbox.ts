import { errors } from '../../../../errors.ts'
import { removeFromInbox } from '../../../../social/statuses/inbox.ts'
import { inboxOf, messageIdIn } from '../../../../social/statuses/inbox-query.ts'
import { ok } from '../../../call.ts'
import { route } from '../../../route.ts'

/** DELETE /1.1/subscribe/statuses/inbox — removes a status from this inbox only. */
export const inboxRemoval = route({
  method: 'DELETE',
  path: '/1.1/subscribe/statuses/inbox',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    const inbox = inboxOf(parameters, caller)
    const messageId = messageIdIn(parameters, 'messageId')
    if (messageId === null)
      throw errors.badArgument("'messageId' is missing; it must be the number of a status in the inbox.")
    await removeFromInbox(app.statuses, inbox, messageId, caller)
    return ok({})
  },
})
