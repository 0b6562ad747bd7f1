import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Button, Grid, Select, Tabs } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { classQuery } from './class-queries.ts'
import { CLASS_TABS, type ClassTab } from './class-search.ts'
import { DangerTab } from './danger-tab.tsx'
import { DefaultAclTab } from './default-acl-tab.tsx'
import { IndexesTab } from './indexes-tab.tsx'
import { PermissionsTab } from './permissions-tab.tsx'
import { SchemaTab } from './schema-tab.tsx'
import { SlowQueriesTab } from './slow-queries-tab.tsx'

const CONTENT = {
  schema: SchemaTab,
  permissions: PermissionsTab,
  acl: DefaultAclTab,
  indexes: IndexesTab,
  slow: SlowQueriesTab,
  danger: DangerTab,
} as const

/** The properties of a class: fields, permissions, indexes. */
export function ClassPage() {
  const { t } = useTranslation('classes')
  const navigate = useNavigate()
  const { appId, canChange } = useApp()
  const { className } = useParams({ from: '/signed-in/apps/$appId/classes/$className' })
  const { tab: requested = 'schema' } = useSearch({ from: '/signed-in/apps/$appId/classes/$className' })
  const { data: description, error, refetch } = useQuery(classQuery(appId, className))
  // Tabs without space would move into a menu that screen readers cannot navigate.
  const isWide = Grid.useBreakpoint().md ?? true
  const tabs = CLASS_TABS.filter((one) => one !== 'danger' || canChange)
  const tab = tabs.includes(requested) ? requested : 'schema'
  const show = (next: ClassTab) =>
    void navigate({ to: '/apps/$appId/classes/$className', params: { appId, className }, search: { tab: next } })
  const Content = CONTENT[tab]
  const content = (
    <>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {description ? <Content key={className} description={description} /> : !error && <Loading />}
    </>
  )
  return (
    <Page
      title={className}
      about={t('about')}
      actions={
        <Link to="/apps/$appId/data/$className" params={{ appId, className }} tabIndex={-1}>
          <Button>{t('toData')}</Button>
        </Link>
      }
    >
      {isWide ? (
        <Tabs
          activeKey={tab}
          onChange={(key) => show(key as ClassTab)}
          items={tabs.map((key) => ({ key, label: t(`tabs.${key}`), children: key === tab && content }))}
        />
      ) : (
        <>
          <Select<ClassTab>
            aria-label={t('shown')}
            value={tab}
            options={tabs.map((key) => ({ value: key, label: t(`tabs.${key}`) }))}
            onChange={show}
          />
          {content}
        </>
      )}
    </Page>
  )
}
