import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

const TABS = ['engines', 'run', 'schedules', 'tasks', 'liveQueries'] as const
export type CloudCodeTab = (typeof TABS)[number]

/** The search parameters of the URL. */
interface CloudCodeSearch {
  readonly tab?: CloudCodeTab
  /** The function to run. */
  readonly name?: string
}

const cloudCodeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/cloud-code',
  validateSearch: (search: Record<string, unknown>): CloudCodeSearch => ({
    ...(TABS.includes(search.tab as CloudCodeTab) && { tab: search.tab as CloudCodeTab }),
    ...(typeof search.name === 'string' && { name: search.name }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./cloud-code-page.tsx')),
    'CloudCodePage',
  ),
})

export const cloudCodeRoutes = [cloudCodeRoute] as const
