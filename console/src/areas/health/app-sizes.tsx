import { Link } from '@tanstack/react-router'
import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApps } from '../../api/apps.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { Table } from '../../parts/table.tsx'
import type { AppSize } from './health-queries.ts'

/** The database size and growth of each app. */
export function AppSizes({ apps }: { readonly apps: readonly AppSize[] }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  const names = new Map(useApps().map(({ appId, name }) => [appId, name]))
  return (
    <Card size="small" title={t('apps.title')}>
      <Table
        size="small"
        rowKey="appId"
        dataSource={[...apps]}
        pagination={apps.length > 10 ? { pageSize: 10 } : false}
        scroll={{ x: 'max-content' }}
        locale={{ emptyText: <Typography.Text type="secondary">{t('apps.none')}</Typography.Text> }}
        columns={[
          {
            title: t('apps.app'),
            dataIndex: 'appId',
            render: (appId: string) => (
              <Link to="/apps/$appId" params={{ appId }}>
                {names.get(appId) ?? appId}
              </Link>
            ),
          },
          {
            title: t('apps.size'),
            dataIndex: 'bytes',
            align: 'right',
            render: (bytes: number) => format.bytes(bytes),
          },
          {
            title: t('apps.growth'),
            key: 'growth',
            align: 'right',
            render: (_, { bytes, before }) =>
              before === null
                ? t('apps.tooEarly')
                : t('apps.grown', {
                    size: `${bytes < before.bytes ? '−' : '+'}${format.bytes(Math.abs(bytes - before.bytes))}`,
                    since: format.ago(before.at),
                  }),
          },
        ]}
      />
    </Card>
  )
}
