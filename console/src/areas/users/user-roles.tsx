import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { holdersQuery, userPointer } from './users-queries.ts'

/** The direct roles of a user; inherited ones are shown with the roles. */
export function UserRoles({ userId }: { readonly userId: string }) {
  const { t } = useTranslation('users')
  const { appId } = useApp()
  const { data, error } = useInfiniteQuery(holdersQuery(appId, userPointer(userId)))
  const roles = data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <Card size="small" title={t('rolesTitle')}>
      <ProblemNotice error={error} />
      {data && roles.length === 0 && <Typography.Text type="secondary">{t('roles.noRoles')}</Typography.Text>}
      <Flex wrap gap={8}>
        {roles.map(({ objectId, name }) => (
          <Link key={objectId} to="/apps/$appId/roles" params={{ appId }} search={{ role: objectId }}>
            <Tag>{name}</Tag>
          </Link>
        ))}
      </Flex>
    </Card>
  )
}
