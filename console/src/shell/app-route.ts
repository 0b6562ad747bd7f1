import { createRoute, notFound } from '@tanstack/react-router'
import { appsQuery } from '../api/apps.ts'
import { queryClient } from '../api/query-client.ts'
import { signedInRoute } from './signed-in-route.ts'

/** Pages of one app. */
export const appRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/apps/$appId',
  loader: async ({ params }) => {
    const apps = await queryClient.ensureQueryData(appsQuery)
    if (!apps.some(({ appId }) => appId === params.appId)) throw notFound()
  },
})
