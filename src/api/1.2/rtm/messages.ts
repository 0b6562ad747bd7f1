import { appHistory } from '../../../messaging/history/app-history.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.2/rtm/messages — returns the messages of the whole app page by page (protocol/messaging, History query). */
export const messages = masterRoute({
  method: 'GET',
  path: '/1.2/rtm/messages',
  rate: 'queries',
  adminReadable: true,
  handler: async ({ app, parameters, caller }) =>
    ok(await appHistory(app.messaging, { everything: true }, parameters, caller.origin?.principal)),
})
