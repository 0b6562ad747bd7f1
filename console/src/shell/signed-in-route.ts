import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { meQuery } from '../api/me.ts'
import { queryClient } from '../api/query-client.ts'
import { pageCode } from '../api/reachable.ts'
import { Problem } from '../api/request.ts'
import { rootRoute } from './root-route.ts'

/** All pages that require a session, with a redirect to the login. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery)
    } catch (error) {
      if (error instanceof Problem && error.status === 401)
        throw redirect({ to: '/login', search: { next: location.href } })
      throw error
    }
  },
  component: lazyRouteComponent(
    pageCode(() => import('./layout.tsx')),
    'Layout',
  ),
})
