import { appOf } from '../../admin-app.ts'
import { adminRoute, type Method, type Route } from '../../route.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * /admin/apps/:appId/api/… — forwards requests to an app's own API, with the permissions of its master key but without
 * the key: `/admin/apps/<id>/api/1.1/classes/Post` is that app's `/1.1/classes/Post`. Readers may call GET only.
 */
export const adminAppApi: readonly Route[] = METHODS.map((method) =>
  adminRoute({
    method,
    path: '/admin/apps/:appId/api/*',
    need: method === 'GET' ? 'see' : 'change',
    handler: async (call) => {
      const app = await appOf(call)
      // The path as sent, without `/admin/apps/:appId/api`: percent-encoding is decoded when the parameters are
      // extracted.
      return call.callApp(app, method, `/${call.path.split('/').slice(5).join('/')}`)
    },
  }),
)
