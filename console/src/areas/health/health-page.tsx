import { useNavigate, useSearch } from '@tanstack/react-router'
import { Tabs } from 'antd'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { AlertList } from './alert-list.tsx'
import { DoctorTab } from './doctor-tab.tsx'
import type { HealthTab } from './health-search.ts'
import { JobsTab } from './jobs-tab.tsx'
import { LogTab } from './log-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { RequestsTab } from './requests-tab.tsx'
import { TestAlertButton } from './test-alert-button.tsx'

/** The state of the server, for its owners. */
export function HealthPage() {
  const { t } = useTranslation('health')
  const navigate = useNavigate()
  const { tab = 'overview' } = useSearch({ from: '/signed-in/health' })
  return (
    <Page title={t('title')} about={t('about')} actions={<TestAlertButton />}>
      <AlertList />
      <Tabs
        activeKey={tab}
        destroyOnHidden
        onChange={(key) => void navigate({ to: '/health', search: { tab: key as HealthTab } })}
        items={[
          { key: 'overview', label: t('tabs.overview'), children: <OverviewTab /> },
          { key: 'doctor', label: t('tabs.doctor'), children: <DoctorTab /> },
          { key: 'requests', label: t('tabs.requests'), children: <RequestsTab /> },
          { key: 'jobs', label: t('tabs.jobs'), children: <JobsTab /> },
          { key: 'log', label: t('tabs.log'), children: <LogTab /> },
        ]}
      />
    </Page>
  )
}
