import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { rootRoute } from '../../shell/root-route.ts'

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search): { next?: string } => (typeof search.next === 'string' ? { next: search.next } : {}),
  component: lazyRouteComponent(
    pageCode(() => import('./login-page.tsx')),
    'LoginPage',
  ),
})

/** The target of one-time login links. The token is after the #, so that it reaches no server and no log. */
const enterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enter',
  component: lazyRouteComponent(
    pageCode(() => import('./enter-page.tsx')),
    'EnterPage',
  ),
})

export const entryRoutes = [loginRoute, enterRoute] as const
