import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { fillIn } from '../../../../src/notices/fill-in.ts'
import type { Notice } from '../../../../src/notices/notice.ts'
import { useFormat } from '../../i18n/format.ts'
import { useNoticeCatalog } from '../../parts/notice-catalog.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { alertsQuery, type CurrentAlert } from './health-queries.ts'

/** The current alerts of the installation. Shows nothing when there are none. */
export function AlertList() {
  const alerts = useQuery(alertsQuery)
  return (
    <>
      <ProblemNotice error={alerts.error} onRetry={() => void alerts.refetch()} />
      {alerts.data && alerts.data.length > 0 && (
        <Suspense>
          <Alerts alerts={alerts.data} />
        </Suspense>
      )}
    </>
  )
}

function Alerts({ alerts }: { readonly alerts: readonly CurrentAlert[] }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  const catalog = useNoticeCatalog()
  return (
    <ul
      aria-label={t('alerts.title')}
      style={{ display: 'grid', gap: 8, margin: '0 0 16px', padding: 0, listStyle: 'none' }}
    >
      {alerts.map(({ alert, node, problem, since }) => (
        <li key={`${alert} ${node}`}>
          <Alert
            type="error"
            showIcon
            title={fillIn(problem as Notice, catalog)}
            description={t(node === null ? 'alerts.since' : 'alerts.sinceAt', { since: format.time(since), node })}
          />
        </li>
      ))}
    </ul>
  )
}
