import { ok } from '../call.ts'
import { openRoute } from '../route.ts'

/** How long a client may keep the answer, in seconds. */
const TTL = 3600

/**
 * GET /v1/route — where clients open their WebSockets (spec/realtime-protocol, 1.2): where they reach this server. The
 * way is as safe as that of the request, or less so if `secure` says no: some clients ask for safety wherever they are.
 */
export const realtimeRouter = openRoute('GET', '/v1/route', async ({ baseUrl, query }) => {
  const { protocol, host } = new URL(baseUrl)
  const isSecure = protocol === 'https:' && query.secure !== 'false' && query.secure !== '0'
  const server = `${isSecure ? 'wss' : 'ws'}://${host}/`
  return ok({ groupId: 'homeport', groupUrl: server, server, secondary: server, ttl: TTL })
})
