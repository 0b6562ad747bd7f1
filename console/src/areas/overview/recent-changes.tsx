import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Flex, Skeleton, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { type Change, recentChangesQuery } from './overview-queries.ts'

/** The recent changes of the app, with their actors. */
export function RecentChanges({ appId }: { readonly appId: string }) {
  const { t } = useTranslation('overview')
  const { data, error, isPending, refetch } = useQuery(recentChangesQuery(appId))
  return (
    <Card
      title={t('recent.title')}
      extra={<Link to="/audit">{t('recent.all')}</Link>}
      style={{ flex: '1 1 320px', minWidth: 0 }}
    >
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {isPending && <Skeleton active />}
      {data?.length === 0 && <EmptyState title={t('recent.none')}>{t('recent.noneAbout')}</EmptyState>}
      <Flex vertical gap={14}>
        {data?.map((change) => (
          <ChangeLine key={change.id} change={change} appId={appId} />
        ))}
      </Flex>
    </Card>
  )
}

function ChangeLine({ change, appId }: { readonly change: Change; readonly appId: string }) {
  const { t } = useTranslation('overview')
  const format = useFormat()
  const { at, name, method, path, status } = change
  const below = path.replace(`/admin/apps/${encodeURIComponent(appId)}`, '') || '/'
  return (
    <div>
      <Flex justify="space-between" gap={8}>
        <Typography.Text strong ellipsis>
          {name ?? t('recent.token')}
        </Typography.Text>
        <Typography.Text type="secondary" style={{ flex: 'none', fontSize: 12 }} title={format.time(at)}>
          {format.ago(at)}
        </Typography.Text>
      </Flex>
      <Flex gap={6} align="center">
        <Typography.Text code ellipsis style={{ fontSize: 12, minWidth: 0 }}>
          {`${method} ${below}`}
        </Typography.Text>
        {status !== null && status >= 400 && (
          <Tag color="error" style={{ flex: 'none' }}>
            {t('recent.refused', { status })}
          </Tag>
        )}
      </Flex>
    </div>
  )
}
