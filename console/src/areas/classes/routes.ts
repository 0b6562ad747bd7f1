import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'
import { CLASS_TABS, type ClassTab } from './class-search.ts'

const classRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/classes/$className',
  validateSearch: ({ tab }): { tab?: ClassTab } => {
    const known = CLASS_TABS.find((one) => one === tab)
    return known && known !== 'schema' ? { tab: known } : {}
  },
  component: lazyRouteComponent(
    pageCode(() => import('./class-page.tsx')),
    'ClassPage',
  ),
})

export const classesRoutes = [classRoute] as const
