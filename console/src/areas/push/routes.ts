import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

type Given = Record<string, unknown>

const text = (value: unknown): value is string => typeof value === 'string' && value !== ''

const historyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push',
  component: lazyRouteComponent(
    pageCode(() => import('./history-page.tsx')),
    'HistoryPage',
  ),
})

const resultRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push/results/$pushId',
  component: lazyRouteComponent(
    pageCode(() => import('./result-page.tsx')),
    'ResultPage',
  ),
})

const composeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push/new',
  /** `device`: the only installation of the push */
  validateSearch: ({ device }: Given): { device?: string } => (text(device) ? { device } : {}),
  component: lazyRouteComponent(
    pageCode(() => import('./compose-page.tsx')),
    'ComposePage',
  ),
})

const scheduledRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push/scheduled',
  component: lazyRouteComponent(
    pageCode(() => import('./scheduled-page.tsx')),
    'ScheduledPage',
  ),
})

const devicesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push/devices',
  validateSearch: ({ type, channel, id }: Given): { type?: string; channel?: string; id?: string } => ({
    ...(text(type) && { type }),
    ...(text(channel) && { channel }),
    ...(text(id) && { id }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./devices-page.tsx')),
    'DevicesPage',
  ),
})

const credentialsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/push/credentials',
  component: lazyRouteComponent(
    pageCode(() => import('./credentials-page.tsx')),
    'CredentialsPage',
  ),
})

export const pushRoutes = [
  historyRoute,
  resultRoute,
  composeRoute,
  scheduledRoute,
  devicesRoute,
  credentialsRoute,
] as const
