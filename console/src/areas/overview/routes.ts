import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(
    pageCode(() => import('./overview-page.tsx')),
    'OverviewPage',
  ),
})

export const overviewRoutes = [overviewRoute] as const
