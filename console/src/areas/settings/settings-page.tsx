import { SearchOutlined } from '@ant-design/icons'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Flex, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { ClearIcon } from '../../parts/clear-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { SideTabs } from '../../parts/side-tabs.tsx'
import { useExplanations } from './explanations/use-explanations.ts'
import { NodeView } from './form/node-view.tsx'
import { found } from './found.ts'
import type { SettingsSearch } from './routes.ts'
import { SaveBar } from './save-bar.tsx'
import { childrenOf, rootOf } from './schema.ts'
import { SettingsDraftContext } from './settings-draft.tsx'
import { settingsSchemaQuery } from './settings-queries.ts'
import { useDraft } from './use-draft.ts'

/** All settings of the app, by group or search. */
export function SettingsPage() {
  const { t } = useTranslation('settings')
  const { appId, canChange } = useApp()
  const { group, q = '' } = useSearch({ from: '/signed-in/apps/$appId/settings' })
  const navigate = useNavigate()
  const { explain, nameOf } = useExplanations()
  const groups = childrenOf(rootOf(useSuspenseQuery(settingsSchemaQuery(appId)).data))
  const { draft, version, saving, save, discard } = useDraft(appId, canChange)
  const show = (search: SettingsSearch) =>
    void navigate({ to: '/apps/$appId/settings', params: { appId }, search, replace: true })
  const hits = q.trim() === '' ? null : groups.flatMap((node) => found(node, q, explain))
  const unplaced = draft.refusals.get('')
  return (
    <SettingsDraftContext value={draft}>
      <Page title={t('title')} about={canChange ? t('about') : t('readOnly')}>
        <Input
          allowClear={{ clearIcon: <ClearIcon /> }}
          prefix={<SearchOutlined />}
          value={q}
          placeholder={t('search')}
          aria-label={t('search')}
          style={{ maxWidth: 420 }}
          onChange={(event) =>
            show(event.target.value === '' ? { ...(group && { group }) } : { q: event.target.value })
          }
        />
        {unplaced !== undefined && <ProblemNotice error={saving.error} />}
        {hits ? (
          <Flex key={version} vertical gap={16}>
            {hits.length === 0 && <EmptyState title={t('notFound')} />}
            {hits.map((node) => (
              <NodeView key={node.pattern} node={node} withGroup />
            ))}
          </Flex>
        ) : (
          <SideTabs
            key={version}
            label={t('group')}
            active={group ?? groups[0]?.pattern ?? ''}
            onChange={(chosen) => show({ group: chosen })}
            items={groups.map((node) => ({
              key: node.pattern,
              label: nameOf(node.pattern),
              content: <NodeView node={node} />,
            }))}
          />
        )}
        <SaveBar draft={draft} isSaving={saving.isPending} onSave={save} onDiscard={discard} />
      </Page>
    </SettingsDraftContext>
  )
}
