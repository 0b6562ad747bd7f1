import { endSilence, silenceFor } from '../../../../messaging/moderation/temporary-silences.ts'
import { ok } from '../../../call.ts'
import { requiredClient, requiredNumber, requiredText } from '../../../request-fields.ts'
import { masterRoute, type Route } from '../../../route.ts'

const PATH = '/1.1/rtm/conversation/blacklist'

/** Temporary silences in a conversation, called blacklist in interface 1.1 (protocol/messaging, Interface 1.1). */
export const oldBlacklist: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: async ({ app, parameters }) => {
      const clientId = requiredClient(parameters, 'client_id')
      const convId = requiredText(parameters, 'conv_id')
      await silenceFor(app.messaging, convId, clientId, requiredNumber(parameters, 'ttl', 'a number of seconds'))
      return ok({})
    },
  }),
  masterRoute({
    method: 'DELETE',
    path: PATH,
    rate: 'writes',
    handler: async ({ app, parameters }) => {
      const clientId = requiredClient(parameters, 'client_id')
      await endSilence(app.messaging, requiredText(parameters, 'conv_id'), clientId)
      return ok({})
    },
  }),
]
