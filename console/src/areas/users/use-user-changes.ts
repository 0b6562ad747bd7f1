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
  const useUserChange = <Given = void>(perform: (given: Given) => Promise<unknown>, done: () => string) =>
    useMutation({
      mutationFn: perform,
      onSuccess: async () => {
        void message.success(done())
        await queries.invalidateQueries({ queryKey: ['apps', appId, 'users'] })
      },
    })
  return {
    change: useUserChange(
      (fields: object) => call('PUT', user(), { body: fields }),
      () => t('done.changed'),
    ),
    setPassword: useUserChange(
      (password: string) => call('PUT', user(), { body: { password } }),
      () => t('done.password'),
    ),
    sendReset: useUserChange(
      (email: string) => call('POST', '/1.1/requestPasswordReset', { body: { email } }),
      () => t('done.resetSent'),
    ),
    logOut: useUserChange(
      () => call('PUT', `${user()}/refreshSessionToken`, { body: {} }),
      () => t('done.loggedOut'),
    ),
    unlock: useUserChange(
      () => request('DELETE', '/admin/apps/{appId}/users/{objectId}/lockout', { params: { appId, objectId: userId } }),
      () => t('done.unlocked'),
    ),
    unlink: useUserChange(
      (platform: string) => call('PUT', user(), { body: { [`authData.${platform}`]: { __op: 'Delete' } } }),
      () => t('done.unlinked'),
    ),
    remove: useUserChange(
      () => call('DELETE', user()),
      () => t('done.deleted'),
    ),
  }
}

export type UserChanges = ReturnType<typeof useUserChanges>
