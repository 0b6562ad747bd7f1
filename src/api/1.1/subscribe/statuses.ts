import { readInbox } from '../../../social/statuses/inbox.ts'
import { inboxOf, parseInboxQuery } from '../../../social/statuses/inbox-query.ts'
import { ok, resultsText } from '../../call.ts'
import { route } from '../../route.ts'

/** GET /1.1/subscribe/statuses — returns statuses in an inbox (protocol/social, Statuses). */
export const inboxStatuses = route({
  method: 'GET',
  path: '/1.1/subscribe/statuses',
  rate: 'queries',
  handler: async ({ app, parameters, caller }) => {
    const inbox = inboxOf(parameters, caller, app.statuses.settings().openInboxes)
    const { results, end, count } = await readInbox(app.statuses, inbox, parseInboxQuery(parameters), caller)
    const counted = count === undefined ? '' : `,"count":${count}`
    return ok(resultsText(results, `,"end":${end}${counted}`))
  },
})
