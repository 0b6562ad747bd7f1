import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { SideTabs } from '../../parts/side-tabs.tsx'
import { AlertList } from './alert-list.tsx'
import { DoctorTab } from './doctor-tab.tsx'
import type { HealthTab } from './health-search.ts'
import { JobsTab } from './jobs-tab.tsx'
import { LogTab } from './log-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { RequestsTab } from './requests-tab.tsx'
import { TestAlertButton } from './test-alert-button.tsx'

const TABS = [
  { key: 'overview', Content: OverviewTab },
  { key: 'doctor', Content: DoctorTab },
  { key: 'requests', Content: RequestsTab },
  { key: 'jobs', Content: JobsTab },
  { key: 'log', Content: LogTab },
] as const

/** The state of the server, for its owners. */
export function HealthPage() {
  const { t } = useTranslation('health')
  const navigate = useNavigate()
  const { tab = 'overview' } = useSearch({ from: '/signed-in/health' })
  return (
    <Page title={t('title')} about={t('about')} actions={<TestAlertButton />}>
      <AlertList />
      <SideTabs
        label={t('shown')}
        placement="top"
        active={tab}
        onChange={(key) => void navigate({ to: '/health', search: { tab: key as HealthTab } })}
        // A hidden tab must not poll.
        items={TABS.map(({ key, Content }) => ({
          key,
          label: t(`tabs.${key}`),
          content: key === tab && <Content />,
        }))}
      />
    </Page>
  )
}
