import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'

/** Kinds of files that can be looked for. */
export const KINDS = ['image', 'audio', 'video', 'text', 'application'] as const
export type Kind = (typeof KINDS)[number]

export interface FilesSearch {
  /** A part of the name */
  readonly name?: string
  readonly kind?: Kind
  /** The id of the file that is looked at */
  readonly file?: string
}

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
