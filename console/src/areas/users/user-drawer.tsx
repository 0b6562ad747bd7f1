import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { useUserChanges } from './use-user-changes.ts'
import { UserDanger } from './user-danger.tsx'
import { UserFields } from './user-fields.tsx'
import { UserLogin } from './user-login.tsx'
import { UserRoles } from './user-roles.tsx'
import { userQuery } from './users-queries.ts'

interface UserDrawerProps {
  readonly userId: string
  onClose(): void
}

/** One user: profile, login, and roles. */
export function UserDrawer({ userId, onClose }: UserDrawerProps) {
  const { t } = useTranslation('users')
  const { appId, canChange } = useApp()
  const format = useFormat()
  const { data: user, error, refetch } = useQuery(userQuery(appId, userId))
  const changes = useUserChanges(userId)
  return (
    <Drawer open title={shownText(user?.username) || userId} size="min(100vw, 560px)" onClose={onClose}>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {!user && !error && <Loading />}
      {user && (
        <Flex vertical gap={24}>
          <Flex wrap gap="4px 16px" justify="space-between">
            <Typography.Text code copyable={{ text: clipboardLine(userId) }}>
              {userId}
            </Typography.Text>
            <Typography.Text type="secondary">{t('made', { time: format.time(user.createdAt) })}</Typography.Text>
          </Flex>
          <UserFields key={userId} user={user} changes={changes} canChange={canChange} />
          <Link
            to="/apps/$appId/data/$className"
            params={{ appId, className: '_User' }}
            search={{ open: `_User/${userId}` }}
          >
            {t('allFields')}
          </Link>
          <UserLogin user={user} changes={changes} canChange={canChange} />
          <UserRoles userId={userId} />
          {canChange && <UserDanger user={user} changes={changes} onDeleted={onClose} />}
        </Flex>
      )}
    </Drawer>
  )
}
