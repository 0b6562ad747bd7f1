import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../api/me.ts'
import { APP_DESTINATIONS, OWNER_DESTINATIONS, SERVER_DESTINATIONS } from './navigation.tsx'

export interface Destination {
  readonly label: string
  /** Below `/console` */
  readonly href: string
  readonly icon: ReactNode
}

export interface Destinations {
  /** The app whose pages are open; null outside of apps */
  readonly appId: string | null
  readonly ofApp: readonly Destination[]
  readonly ofServer: readonly Destination[]
  /** The path of the current page in the navigation. */
  readonly current: string | null
}

/** Returns the navigation targets, and the current one. */
export function useDestinations(): Destinations {
  const { t } = useTranslation('shell')
  const { isOwner } = useRights()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const inApp = /^\/apps\/([^/]+)/.exec(pathname)
  const appId = inApp ? decodeURIComponent(inApp[1]!) : null
  const ofApp = inApp
    ? APP_DESTINATIONS.map(({ key, path, icon }) => ({ label: t(`navigation.${key}`), href: inApp[0] + path, icon }))
    : []
  const ofServer = [...SERVER_DESTINATIONS, ...(isOwner ? OWNER_DESTINATIONS : [])].map(({ key, path, icon }) => ({
    label: t(`navigation.${key}`),
    href: path,
    icon,
  }))
  // The page of a class is reached from its data.
  const currentPath = pathname.replace(/^(\/apps\/[^/]+)\/classes\//, '$1/data/')
  const holds = (href: string) => currentPath === href || (href !== '/' && currentPath.startsWith(`${href}/`))
  const found = [...ofApp, ...ofServer].map(({ href }) => href).filter(holds)
  // `/apps/<id>` includes all pages of the app: the longest match is the nearest.
  const current = found.sort((a, b) => b.length - a.length)[0] ?? null
  return { appId, ofApp, ofServer, current }
}
