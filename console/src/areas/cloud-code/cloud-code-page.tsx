import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Page } from '../../parts/page.tsx'
import { SideTabs } from '../../parts/side-tabs.tsx'
import { EnginesTab } from './engines-tab.tsx'
import { LiveQueriesTab } from './live-queries-tab.tsx'
import type { CloudCodeTab } from './routes.ts'
import { RunTab } from './run-tab.tsx'
import { SchedulesTab } from './schedules-tab.tsx'
import { TasksTab } from './tasks-tab.tsx'

/** The cloud code of an app: its engines, functions, and results. */
export function CloudCodePage() {
  const { t } = useTranslation('cloudCode')
  const { appId, canChange } = useApp()
  const navigate = useNavigate()
  const { tab = 'engines' } = useSearch({ from: '/signed-in/apps/$appId/cloud-code' })
  const tabs = [
    { key: 'engines', children: <EnginesTab /> },
    ...(canChange ? [{ key: 'run' as const, children: <RunTab /> }] : []),
    { key: 'schedules', children: <SchedulesTab /> },
    { key: 'tasks', children: <TasksTab /> },
    { key: 'liveQueries', children: <LiveQueriesTab /> },
  ] as const
  return (
    <Page title={t('title')} about={t('about')}>
      <SideTabs
        label={t('title')}
        active={tab}
        onChange={(key) =>
          void navigate({ to: '/apps/$appId/cloud-code', params: { appId }, search: { tab: key as CloudCodeTab } })
        }
        items={tabs.map(({ key, children }) => ({ key, label: t(`tabs.${key}`), content: key === tab && children }))}
      />
    </Page>
  )
}
