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

/** Where links lead to that let in once. What they bring stands behind the #, which no server and no log gets to see. */
const enterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enter',
  component: lazyRouteComponent(
    pageCode(() => import('./enter-page.tsx')),
    'EnterPage',
  ),
})

export const entryRoutes = [loginRoute, enterRoute] as const
