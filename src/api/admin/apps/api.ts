import { appOf } from '../../admin-app.ts'
import { adminRoute, type Method, type Route } from '../../route.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * /admin/apps/:appId/api/… — all that an app's own API offers, with the rights of its master key and without the key:
 * `/admin/apps/<id>/api/1.1/classes/Post` is that app's `/1.1/classes/Post`. Who may only look can call GET.
 */
export const adminAppApi: readonly Route[] = METHODS.map((method) =>
  adminRoute({
    method,
    path: '/admin/apps/:appId/api/*',
    need: method === 'GET' ? 'see' : 'change',
    handler: async (call) => {
      const app = await appOf(call)
      // As it was sent, without `/admin/apps/:appId/api`: percent-encoding is decoded where the parameters are taken out.
      return call.callApp(app, method, `/${call.path.split('/').slice(5).join('/')}`)
    },
  }),
)
