import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { signedInRoute } from '../../shell/signed-in-route.ts'
import type { Range } from './health-queries.ts'
import { HEALTH_TABS, type HealthTab, JOB_STATES, type JobState } from './health-search.ts'

/** The search parameters of the URL; missing ones default to the first option. */
interface HealthSearch {
  readonly tab?: HealthTab
  readonly range?: Range
  readonly state?: JobState
}

const healthRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/health',
  validateSearch: (search: Record<string, unknown>): HealthSearch => ({
    ...(HEALTH_TABS.includes(search.tab as HealthTab) && { tab: search.tab as HealthTab }),
    ...(search.range === 'week' && { range: 'week' as const }),
    ...(JOB_STATES.includes(search.state as JobState) && { state: search.state as JobState }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./health-page.tsx')),
    'HealthPage',
  ),
})

export const healthRoutes = [healthRoute] as const
