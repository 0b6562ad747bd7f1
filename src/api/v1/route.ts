import { pathOfApp } from '../../realtime-protocol/app-url.ts'
import { ok } from '../call.ts'
import { parametersOf } from '../parameters.ts'
import { openRoute } from '../route.ts'

/** How long a client may keep the answer, in seconds. */
const TTL = 3600

/**
 * GET /v1/route — where clients open their WebSockets (protocol/realtime, RTM router): where they reach this server.
 * The way is as safe as that of the request, or less so if `secure` says no: some clients ask for safety wherever they
 * are.
 * What they ask for decides where a proxy that passed the request on did not say how it came.
 */
export const realtimeRouter = openRoute({
  method: 'GET',
  path: '/v1/route',
  handler: async ({ server: { publicUrl }, sent, baseUrl, query, body }) => {
    const parameters = parametersOf(query, body)
    const { protocol, host } = new URL(baseUrl)
    const isUntold = publicUrl === null && sent.protocol === null
    const mayBeSafe = isUntold ? parameters.secure === '1' || parameters.secure === 'true' : protocol === 'https:'
    const isSecure = mayBeSafe && parameters.secure !== 'false' && parameters.secure !== '0'
    // Only clients for Java send the id of their installation, and some of them name their app nowhere else.
    const { appId, installationId } = parameters
    const path = typeof installationId === 'string' && typeof appId === 'string' ? pathOfApp(appId) : ''
    const server = `${isSecure ? 'wss' : 'ws'}://${host}/${path}`
    return ok({ groupId: 'homeport', groupUrl: server, server, secondary: server, ttl: TTL })
  },
})
