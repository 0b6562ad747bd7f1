import { ok } from '../../call.ts'
import { requiredClients } from '../../request-fields.ts'
import { masterRoute } from '../../route.ts'

/** protocol/messaging, Limits */
const MAX_CHECKED = 20

/** POST /1.1/rtm/online — returns which of the clients are online (protocol/messaging, Interface 1.1). */
export const online = masterRoute({
  method: 'POST',
  path: '/1.1/rtm/online',
  rate: 'writes',
  handler: async ({ app, parameters }) => {
    const clientIds = requiredClients(parameters, 'peers', MAX_CHECKED)
    const found = await app.messaging.presence.online(clientIds)
    return ok({ results: [...new Set(clientIds)].filter((clientId) => found.has(clientId)) })
  },
})
