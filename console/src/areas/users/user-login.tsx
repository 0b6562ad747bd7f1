import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Flex, Tag, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirmation } from '../../parts/confirmation.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import type { UserChanges } from './use-user-changes.ts'
import { loginStateQuery, type User } from './users-queries.ts'

interface UserLoginProps {
  readonly user: User
  readonly changes: UserChanges
  readonly canChange: boolean
}

/** The logins of a user: password, session, third-party accounts, and the lock. */
export function UserLogin({ user, changes, canChange }: UserLoginProps) {
  const { t } = useTranslation('users')
  const { appId } = useApp()
  const format = useFormat()
  const { data: state, error } = useQuery(loginStateQuery(appId, user.objectId))
  const [isSetting, setIsSetting] = useState(false)
  const { sendReset, logOut, unlock, unlink } = changes
  return (
    <Card size="small" title={t('login.title')}>
      <Flex vertical gap={12}>
        <ProblemNotice error={error ?? sendReset.error ?? logOut.error ?? unlock.error ?? unlink.error} />
        {state?.lockedUntil && (
          <Alert
            type="warning"
            showIcon
            title={t('login.locked', { time: format.time(state.lockedUntil) })}
            action={
              canChange && (
                <Button size="small" loading={unlock.isPending} onClick={() => unlock.mutate()}>
                  {t('login.unlock')}
                </Button>
              )
            }
          />
        )}
        {state && (
          <Flex wrap gap={8}>
            <Tag>{t(state.hasPassword ? 'login.password' : 'login.noPassword')}</Tag>
            <Tag>{t(state.hasSession ? 'login.session' : 'login.noSession')}</Tag>
            {state.failures > 0 && <Tag color="warning">{t('login.failures', { count: state.failures })}</Tag>}
          </Flex>
        )}
        {canChange && (
          <Flex wrap gap={8}>
            <Button onClick={() => setIsSetting(true)}>{t('login.setPassword')}</Button>
            {user.email && (
              <Button loading={sendReset.isPending} onClick={() => sendReset.mutate(user.email!)}>
                {t('login.sendReset')}
              </Button>
            )}
            {state?.hasSession && (
              <Confirmation title={t('login.logOutAbout')} onConfirm={() => logOut.mutate()}>
                <Button loading={logOut.isPending}>{t('login.logOut')}</Button>
              </Confirmation>
            )}
          </Flex>
        )}
        <Typography.Text strong>{t('linked.title')}</Typography.Text>
        {state?.linked.length === 0 && <Typography.Text type="secondary">{t('linked.none')}</Typography.Text>}
        {state?.linked.map(({ platform, uids }) => (
          <Flex key={platform} gap={8} align="center" justify="space-between">
            <Typography.Text style={{ overflowWrap: 'anywhere' }}>
              <Tag translate="no">{platform}</Tag>
              {uids.join(', ')}
            </Typography.Text>
            {canChange && (
              <Confirmation title={t('linked.unlinkAbout')} onConfirm={() => unlink.mutate(platform)}>
                <Button size="small" aria-label={t('linked.unlinkOf', { platform })}>
                  {t('linked.unlink')}
                </Button>
              </Confirmation>
            )}
          </Flex>
        ))}
      </Flex>
      {isSetting && <PasswordDialog changes={changes} onClose={() => setIsSetting(false)} />}
    </Card>
  )
}
