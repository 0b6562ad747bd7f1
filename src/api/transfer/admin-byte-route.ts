import type { Need } from '../../administrators/administrator.ts'
import { audited } from '../../administrators/audited.ts'
import { authenticateAdmin, checkNeed } from '../authenticate-admin.ts'
import type { ByteRoute } from './byte-route.ts'

interface AdminByteFacts extends Omit<ByteRoute, 'methods' | 'isManagement'> {
  readonly method: 'GET' | 'PUT'
  readonly need: Need
}

/**
 * Describes an endpoint of the management API that receives or returns bytes of an app. A change is recorded in the
 * audit log, with the names of its query parameters. The browser may start a download without headers, with a ticket.
 */
export function adminByteRoute({ method, need, handler, ...facts }: AdminByteFacts): ByteRoute {
  return {
    ...facts,
    isManagement: true,
    methods: [method],
    async handler(call) {
      const { server, headers, sent, params } = call
      const query = Object.fromEntries(new URLSearchParams(call.search))
      const { ticket } = query
      const download = ticket === undefined ? undefined : { path: call.path, ticket }
      const admin = await authenticateAdmin(server, { method: call.method, headers, download }, sent)
      checkNeed(admin, need, params.appId)
      if (method === 'GET') return handler(call)
      const { administrator } = admin
      const change = {
        administrator,
        address: sent.address,
        appId: params.appId ?? null,
        method,
        path: call.path,
        body: query,
      }
      return audited(server.database, change, () => handler(call))
    },
  }
}
