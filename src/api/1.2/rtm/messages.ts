import { appHistory } from '../../../messaging/app-history.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.2/rtm/messages — the messages of the whole app, page by page (spec/3, History query). */
export const messages = masterRoute('GET', '/1.2/rtm/messages', async ({ app, query }) =>
  ok(await appHistory(app.messaging, { everything: true }, query)),
)
