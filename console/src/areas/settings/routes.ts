import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

export interface SettingsSearch {
  /** The first name of the displayed settings. */
  readonly group?: string
  /** The search text. */
  readonly q?: string
}

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  validateSearch: ({ group, q }): SettingsSearch => ({
    ...(typeof group === 'string' && { group }),
    ...(typeof q === 'string' && { q }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./settings-page.tsx')),
    'SettingsPage',
  ),
})

export const settingsRoutes = [settingsRoute] as const
