import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'
import { type DataSearch, readDataSearch } from './data-search.ts'

const dataRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/data',
  component: lazyRouteComponent(
    pageCode(() => import('./data-page.tsx')),
    'DataPage',
  ),
})

const dataHomeRoute = createRoute({
  getParentRoute: () => dataRoute,
  path: '/',
  component: lazyRouteComponent(
    pageCode(() => import('./data-home.tsx')),
    'DataHome',
  ),
})

const classDataRoute = createRoute({
  getParentRoute: () => dataRoute,
  path: '/$className',
  validateSearch: (search: Record<string, unknown>): DataSearch => readDataSearch(search),
  component: lazyRouteComponent(
    pageCode(() => import('./class-data.tsx')),
    'ClassData',
  ),
})

export const dataRoutes = [dataRoute.addChildren([dataHomeRoute, classDataRoute])] as const
