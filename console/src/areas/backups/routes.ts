import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { signedInRoute } from '../../shell/signed-in-route.ts'

const backupsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/backups',
  component: lazyRouteComponent(
    pageCode(() => import('./backups-page.tsx')),
    'BackupsPage',
  ),
})

export const backupsRoutes = [backupsRoute] as const
