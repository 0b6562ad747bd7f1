import { useMutation, useQueryClient } from '@tanstack/react-query'
import { appsQuery } from '../../api/apps.ts'
import { request } from '../../api/request.ts'

export interface NewApp {
  readonly name: string
  readonly ownerEmail: string | null
  /** What an app that moves here brings along; made up where it is missing */
  readonly appId?: string
  readonly appKey?: string
  readonly masterKey?: string
}

export type Key = 'appKey' | 'masterKey' | 'hookKey'

interface AppChange {
  readonly name?: string
  readonly ownerEmail?: string | null
  readonly rotateKeys?: readonly Key[]
}

export function useNewApp() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (app: NewApp) => request('POST', '/admin/apps', { body: app }),
    onSuccess: () => queries.invalidateQueries({ queryKey: appsQuery.queryKey, exact: true }),
  })
}

/** Renames an app, says who owns it, or gives it other keys. */
export function useAppChange(appId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: AppChange) => request('PATCH', '/admin/apps/{appId}', { params: { appId }, body: change }),
    onSuccess: (changed) => {
      queries.setQueryData(appsQuery.queryKey, (apps) => apps?.map((app) => (app.appId === appId ? changed : app)))
      void queries.invalidateQueries({ queryKey: ['apps', appId] })
    },
  })
}

/** Forgets the app when `onGone` has led away from its pages, which could not be shown any more. */
export function useAppDeletion(appId: string, onGone: () => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => request('DELETE', '/admin/apps/{appId}', { params: { appId } }),
    onSuccess: async () => {
      await onGone()
      queries.setQueryData(appsQuery.queryKey, (apps) => apps?.filter((app) => app.appId !== appId))
      queries.removeQueries({ queryKey: ['apps', appId] })
    },
  })
}
