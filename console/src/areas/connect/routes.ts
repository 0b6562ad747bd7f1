import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'
import { isSdkKey, type SdkKey } from './sdk-keys.ts'

const connectRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/connect',
  validateSearch: ({ sdk }): { sdk?: SdkKey } => (isSdkKey(sdk) ? { sdk } : {}),
  component: lazyRouteComponent(
    pageCode(() => import('./connect-page.tsx')),
    'ConnectPage',
  ),
})

export const connectRoutes = [connectRoute] as const
