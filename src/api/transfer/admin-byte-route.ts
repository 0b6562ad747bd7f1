import type { Need } from '../../administrators/administrator.ts'
import { audited } from '../../administrators/audited.ts'
import { authenticateAdmin, checkNeed } from '../authenticate-admin.ts'
import type { Answer } from '../call.ts'
import { type ByteCall, type ByteRoute, byteRoute } from './byte-route.ts'

/**
 * An endpoint of the management API that takes or sends bytes of an app. A change is recorded in the audit log, with the names of
 * its query parameters. A download may be begun by the browser itself, with a ticket.
 */
export function adminByteRoute(
  method: 'GET' | 'PUT',
  path: string,
  need: Need,
  handle: (call: ByteCall) => Promise<Answer>,
  description: Pick<ByteRoute, 'summary'>,
): ByteRoute {
  return byteRoute(
    [method],
    path,
    async (call) => {
      const { server, headers, sent, params } = call
      const query = Object.fromEntries(new URLSearchParams(call.search))
      const { ticket } = query
      const download = ticket === undefined ? undefined : { path: call.path, ticket }
      const admin = await authenticateAdmin(server, { method: call.method, headers, download }, sent)
      checkNeed(admin, need, params.appId)
      if (method === 'GET') return handle(call)
      const { administrator } = admin
      const change = {
        administrator,
        address: sent.address,
        appId: params.appId ?? null,
        method,
        path: call.path,
        body: query,
      }
      return audited(server.database, change, () => handle(call))
    },
    description,
  )
}
