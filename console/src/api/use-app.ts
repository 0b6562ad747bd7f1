import { useParams } from '@tanstack/react-router'
import { type App, callApp, useApps } from './apps.ts'
import { useRights } from './me.ts'
import type { Method, RequestOptions } from './request.ts'

export interface OpenApp extends App {
  /** Whether the administrator can change its data and settings. */
  readonly canChange: boolean
  /** Calls the app's own API with master permissions; see `callApp`. */
  call<T>(method: Method, apiPath: string, options?: RequestOptions): Promise<T>
}

/** Returns the app whose pages are open. Must be used below the route of an app. */
export function useApp(): OpenApp {
  const { appId } = useParams({ strict: false }) as { appId: string }
  const app = useApps().find((known) => known.appId === appId)
  const { canChange } = useRights()
  if (!app) throw new Error('App not found.')
  return {
    ...app,
    canChange: canChange(appId),
    call: (method, apiPath, options) => callApp(appId, method, apiPath, options),
  }
}
