import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

/** What of a class is shown, as the URL says it. */
export const CLASS_TABS = ['schema', 'permissions', 'acl', 'indexes', 'slow', 'danger'] as const
export type ClassTab = (typeof CLASS_TABS)[number]

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
