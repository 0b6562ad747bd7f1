import { createRouter } from '@tanstack/react-router'
import { administratorsRoutes } from './areas/administrators/routes.ts'
import { appsRoutes } from './areas/apps/routes.ts'
import { backupsRoutes } from './areas/backups/routes.ts'
import { classesRoutes } from './areas/classes/routes.ts'
import { cloudCodeRoutes } from './areas/cloud-code/routes.ts'
import { connectRoutes } from './areas/connect/routes.ts'
import { dataRoutes } from './areas/data/routes.ts'
import { entryRoutes } from './areas/entry/routes.ts'
import { filesRoutes } from './areas/files/routes.ts'
import { healthRoutes } from './areas/health/routes.ts'
import { messagingRoutes } from './areas/messaging/routes.ts'
import { movingInRoutes } from './areas/moving-in/routes.ts'
import { overviewRoutes } from './areas/overview/routes.ts'
import { pushRoutes } from './areas/push/routes.ts'
import { settingsRoutes } from './areas/settings/routes.ts'
import { usersRoutes } from './areas/users/routes.ts'
import { Failure } from './parts/failure.tsx'
import { Loading } from './parts/loading.tsx'
import { PageNotFound } from './parts/page-not-found.tsx'
import { appRoute } from './shell/app-route.ts'
import { rootRoute } from './shell/root-route.ts'
import { signedInRoute } from './shell/signed-in-route.ts'

const routeTree = rootRoute.addChildren([
  ...entryRoutes,
  signedInRoute.addChildren([
    ...administratorsRoutes,
    ...appsRoutes,
    ...backupsRoutes,
    ...healthRoutes,
    appRoute.addChildren([
      ...classesRoutes,
      ...cloudCodeRoutes,
      ...connectRoutes,
      ...dataRoutes,
      ...filesRoutes,
      ...messagingRoutes,
      ...movingInRoutes,
      ...overviewRoutes,
      ...pushRoutes,
      ...settingsRoutes,
      ...usersRoutes,
    ]),
  ]),
])

/** The routes of all areas. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  // The query client manages freshness.
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: Failure,
  defaultNotFoundComponent: PageNotFound,
  scrollRestoration: true,
  scrollToTopSelectors: ['.console-page'],
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
