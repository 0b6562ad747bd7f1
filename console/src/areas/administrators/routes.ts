import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { signedInRoute } from '../../shell/signed-in-route.ts'

const administratorsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/administrators',
  component: lazyRouteComponent(
    pageCode(() => import('./administrators-page.tsx')),
    'AdministratorsPage',
  ),
})

const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  /** The app whose changes are shown; all without it. */
  validateSearch: (search): { app?: string } => (typeof search.app === 'string' ? { app: search.app } : {}),
  component: lazyRouteComponent(
    pageCode(() => import('./audit-page.tsx')),
    'AuditPage',
  ),
})

const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazyRouteComponent(
    pageCode(() => import('./profile-page.tsx')),
    'ProfilePage',
  ),
})

export const administratorsRoutes = [administratorsRoute, auditRoute, profileRoute] as const
