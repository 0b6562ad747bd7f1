import { pathOfApp } from '../../realtime-protocol/app-url.ts'
import { ok } from '../call.ts'
import { parametersOf } from '../parameters.ts'
import { openRoute } from '../route.ts'

/** How long a client may cache the response, in seconds. */
const TTL = 3600

/**
 * GET /v1/route — returns the URLs for the WebSockets of clients, which are those of this server (protocol/realtime,
 * RTM router). The scheme is as secure as that of the request, or insecure if `secure` is false; some clients always
 * request a secure one. `secure` alone decides if a proxy forwarded the request without its scheme.
 */
export const realtimeRouter = openRoute({
  method: 'GET',
  path: '/v1/route',
  handler: async ({ server: { publicUrl }, sent, baseUrl, query, body }) => {
    const parameters = parametersOf(query, body)
    const { protocol, host } = new URL(baseUrl)
    const isUnknownAddress = publicUrl === null && sent.protocol === null
    const mayBeSafe = isUnknownAddress
      ? parameters.secure === '1' || parameters.secure === 'true'
      : protocol === 'https:'
    const isSecure = mayBeSafe && parameters.secure !== 'false' && parameters.secure !== '0'
    // Only Java clients send the id of their installation, and some of them name their app nowhere else.
    const { appId, installationId } = parameters
    const path = typeof installationId === 'string' && typeof appId === 'string' ? pathOfApp(appId) : ''
    const server = `${isSecure ? 'wss' : 'ws'}://${host}/${path}`
    return ok({ groupId: 'homeport', groupUrl: server, server, secondary: server, ttl: TTL })
  },
})
