import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../../shell/signed-in-route.ts'

const appsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' ? { q } : {}),
  component: lazyRouteComponent(() => import('./apps-page.tsx'), 'AppsPage'),
})

export const appsRoutes = [appsRoute] as const
