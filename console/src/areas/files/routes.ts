import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'
import { type FilesSearch, KINDS } from './files-search.ts'

const filesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/files',
  validateSearch: ({ name, kind, file }): FilesSearch => {
    const known = KINDS.find((one) => one === kind)
    return {
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      ...(known ? { kind: known } : {}),
      ...(typeof file === 'string' && file !== '' ? { file } : {}),
    }
  },
  component: lazyRouteComponent(
    pageCode(() => import('./files-page.tsx')),
    'FilesPage',
  ),
})

export const filesRoutes = [filesRoute] as const
