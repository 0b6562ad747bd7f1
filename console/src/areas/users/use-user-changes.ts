import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { useTranslation } from 'react-i18next'
import { path, request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'

/** Returns the actions on one user. Each reports its success and reloads the displayed users. */
export function useUserChanges(userId: string) {
  const { t } = useTranslation('users')
  const { appId, call } = useApp()
  const { message } = App.useApp()
  const queries = useQueryClient()
  const user = () => path`/1.1/users/${userId}`
  const useDeed = <Given = void>(perform: (given: Given) => Promise<unknown>, done: () => string) =>
    useMutation({
      mutationFn: perform,
      onSuccess: async () => {
        void message.success(done())
        await queries.invalidateQueries({ queryKey: ['apps', appId, 'users'] })
      },
    })
  return {
    change: useDeed(
      (fields: object) => call('PUT', user(), { body: fields }),
      () => t('done.changed'),
    ),
    setPassword: useDeed(
      (password: string) => call('PUT', user(), { body: { password } }),
      () => t('done.password'),
    ),
    sendReset: useDeed(
      (email: string) => call('POST', '/1.1/requestPasswordReset', { body: { email } }),
      () => t('done.resetSent'),
    ),
    logOut: useDeed(
      () => call('PUT', `${user()}/refreshSessionToken`, { body: {} }),
      () => t('done.loggedOut'),
    ),
    unlock: useDeed(
      () => request('DELETE', '/admin/apps/{appId}/users/{objectId}/lockout', { params: { appId, objectId: userId } }),
      () => t('done.unlocked'),
    ),
    unlink: useDeed(
      (platform: string) => call('PUT', user(), { body: { [`authData.${platform}`]: { __op: 'Delete' } } }),
      () => t('done.unlinked'),
    ),
    remove: useDeed(
      () => call('DELETE', user()),
      () => t('done.deleted'),
    ),
  }
}

export type UserChanges = ReturnType<typeof useUserChanges>
