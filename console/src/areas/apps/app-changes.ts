import { useMutation, useQueryClient } from '@tanstack/react-query'
import { appsQuery } from '../../api/apps.ts'
import { request } from '../../api/request.ts'

export interface NewApp {
  readonly name: string
  readonly ownerEmail: string | null
  /** Given id and keys of an app that moves here; generated when missing */
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

/** Renames an app, sets its owner, or rotates its keys. */
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

/** Removes the app from the cache once `onGone` has navigated away from its pages, which could no longer be shown. */
export function useAppDeletion(appId: string, onDeleted: () => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => request('DELETE', '/admin/apps/{appId}', { params: { appId } }),
    onSuccess: async () => {
      await onDeleted()
      queries.setQueryData(appsQuery.queryKey, (apps) => apps?.filter((app) => app.appId !== appId))
      queries.removeQueries({ queryKey: ['apps', appId] })
    },
  })
}
