import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { signedInRoute } from '../../shell/signed-in-route.ts'
import type { Range } from './health-queries.ts'
import { HEALTH_TABS, type HealthTab, JOB_STATES, type JobState } from './health-search.ts'

/** What the URL says beside its path; what is missing is the first of its kind. */
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
