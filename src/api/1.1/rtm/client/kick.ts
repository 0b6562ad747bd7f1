import { kickClient } from '../../../../messaging/sessions/kick-client.ts'
import { ok } from '../../../call.ts'
import { requiredClient, textIn } from '../../../request-fields.ts'
import { masterRoute } from '../../../route.ts'

/** POST /1.1/rtm/client/kick — logs a client out (protocol/messaging, Interface 1.1). */
export const kick = masterRoute({
  method: 'POST',
  path: '/1.1/rtm/client/kick',
  rate: 'writes',
  handler: async ({ app, parameters }) => {
    await kickClient(app.messaging, requiredClient(parameters, 'client_id'), textIn(parameters, 'reason') || null)
    return ok({})
  },
})
