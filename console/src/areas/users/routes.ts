import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

/** Returns the string parameters of a URL. */
function texts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [name in Name]?: string } {
  const given = names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : []))
  return Object.fromEntries(given)
}

const usersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/users',
  validateSearch: (search: Record<string, unknown>) => texts(search, ['q', 'user']),
  component: lazyRouteComponent(
    pageCode(() => import('./users-page.tsx')),
    'UsersPage',
  ),
})

const rolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/roles',
  validateSearch: (search: Record<string, unknown>) => texts(search, ['q', 'role']),
  component: lazyRouteComponent(
    pageCode(() => import('./roles-page.tsx')),
    'RolesPage',
  ),
})

export const usersRoutes = [usersRoute, rolesRoute] as const
