import { resetUnreadCount } from '../../../../social/statuses/inbox.ts'
import { inboxOf } from '../../../../social/statuses/inbox-query.ts'
import { ok } from '../../../call.ts'
import { route } from '../../../route.ts'

/**
 * POST /1.1/subscribe/statuses/resetUnreadCount — marks an inbox as read. SDKs name the inbox in the body, in the URL,
 * or not at all.
 */
export const resetInboxCount = route({
  method: 'POST',
  path: '/1.1/subscribe/statuses/resetUnreadCount',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await resetUnreadCount(app.statuses, inboxOf(parameters, caller, app.statuses.settings().openInboxes), caller)
    return ok({})
  },
})
