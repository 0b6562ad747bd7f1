import { countInbox } from '../../../../social/statuses/inbox.ts'
import { inboxOf } from '../../../../social/statuses/inbox-query.ts'
import { ok } from '../../../call.ts'
import { route } from '../../../route.ts'

/** GET /1.1/subscribe/statuses/count — counts the statuses in an inbox, and how many of them are new. */
export const inboxCount = route({
  method: 'GET',
  path: '/1.1/subscribe/statuses/count',
  rate: 'queries',
  handler: async ({ app, parameters, caller }) =>
    ok(await countInbox(app.statuses, inboxOf(parameters, caller, app.statuses.settings().openInboxes), caller)),
})
