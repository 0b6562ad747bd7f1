import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { signedInRoute } from '../../shell/signed-in-route.ts'

const appsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' ? { q } : {}),
  component: lazyRouteComponent(
    pageCode(() => import('./apps-page.tsx')),
    'AppsPage',
  ),
})

export const appsRoutes = [appsRoute] as const
