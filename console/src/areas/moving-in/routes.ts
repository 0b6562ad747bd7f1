import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

const movingInRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/moving-in',
  component: lazyRouteComponent(
    pageCode(() => import('./moving-in-page.tsx')),
    'MovingInPage',
  ),
})

const moveRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/moving-in/$moveId',
  component: lazyRouteComponent(
    pageCode(() => import('./move-page.tsx')),
    'MovePage',
  ),
})

export const movingInRoutes = [movingInRoute, moveRoute] as const
