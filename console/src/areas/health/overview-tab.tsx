import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Flex, Segmented, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { AppSizes } from './app-sizes.tsx'
import { healthQuery, historyQuery, type Range } from './health-queries.ts'
import { HistoryCharts } from './history-charts.tsx'
import { NowCards } from './now-cards.tsx'

/** The current state, and that of the last day or week. */
export function OverviewTab() {
  const { t } = useTranslation('health')
  const navigate = useNavigate()
  const { range = 'day' } = useSearch({ from: '/signed-in/health' })
  const health = useQuery(healthQuery)
  const history = useQuery(historyQuery(range))
  if (health.isPending) return <Loading />
  return (
    <Flex vertical gap={24}>
      <ProblemNotice error={health.error} onRetry={() => void health.refetch()} />
      {health.data && <NowCards health={health.data} />}
      <Flex wrap justify="space-between" align="center" gap={12}>
        <Typography.Title level={2} style={{ fontSize: 18, margin: 0 }}>
          {t('history.title')}
        </Typography.Title>
        <Segmented<Range>
          aria-label={t('history.range')}
          value={range}
          options={[
            { value: 'day', label: t('history.day') },
            { value: 'week', label: t('history.week') },
          ]}
          onChange={(chosen) => void navigate({ to: '/health', search: chosen === 'week' ? { range: 'week' } : {} })}
        />
      </Flex>
      <ProblemNotice error={history.error} onRetry={() => void history.refetch()} />
      {history.data?.length === 0 && <EmptyState title={t('history.none')}>{t('history.noneAbout')}</EmptyState>}
      {history.data && history.data.length > 0 && <HistoryCharts points={history.data} range={range} />}
      {health.data && <AppSizes apps={health.data.apps} />}
    </Flex>
  )
}
