import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Flex, Tag, Typography } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type Engine, type Engines, engineQuery, refreshEngines } from './cloud-code-queries.ts'

/** The engines, their functions and hooks, and recent failures. */
export function EnginesTab() {
  const { t } = useTranslation('cloudCode')
  const { appId, canChange } = useApp()
  const client = useQueryClient()
  const engines = useQuery(engineQuery(appId))
  const refresh = useMutation({
    mutationFn: () => refreshEngines(appId),
    onSettled: () => client.invalidateQueries({ queryKey: ['apps', appId, 'engine'] }),
  })
  if (engines.isPending) return <Loading />
  const { production = null, staging = null, failures = [] } = engines.data ?? {}
  return (
    <Flex vertical gap={16}>
      <ProblemNotice error={engines.error ?? refresh.error} onRetry={() => void engines.refetch()} />
      {engines.data && !production && !staging && (
        <EmptyState
          title={t('engines.none')}
          action={
            <Link to="/apps/$appId/settings" params={{ appId }}>
              {t('engines.settings')}
            </Link>
          }
        >
          {t('engines.noneAbout')}
        </EmptyState>
      )}
      {canChange && (production || staging) && (
        <Flex>
          <Button loading={refresh.isPending} onClick={() => refresh.mutate()}>
            {t('engines.refresh')}
          </Button>
        </Flex>
      )}
      {production && <EngineCard title={t('engines.production')} engine={production} />}
      {staging && <EngineCard title={t('engines.staging')} engine={staging} />}
      {engines.data && (production || staging) && <Failures failures={failures} node={engines.data.node} />}
    </Flex>
  )
}

function EngineCard({ title, engine }: { readonly title: string; readonly engine: Engine }) {
  const { t } = useTranslation('cloudCode')
  const { appId, canChange } = useApp()
  return (
    <Card
      size="small"
      title={
        <Flex gap={12} align="center">
          {title}
          <Tag color={engine.answers ? 'success' : 'error'}>{t(engine.answers ? 'engines.up' : 'engines.down')}</Tag>
        </Flex>
      }
    >
      <Flex vertical gap={12}>
        <Typography.Text code copyable={{ text: clipboardLine(engine.url) }} style={{ overflowWrap: 'anywhere' }}>
          {engine.url}
        </Typography.Text>
        {!engine.answers && <Typography.Text type="secondary">{t('engines.downAbout')}</Typography.Text>}
        <Names title={t('engines.functions')} none={t('engines.noFunctions')} names={engine.functions}>
          {(name) =>
            canChange ? (
              <Link to="/apps/$appId/cloud-code" params={{ appId }} search={{ tab: 'run', name }}>
                {name}
              </Link>
            ) : (
              name
            )
          }
        </Names>
        <Names title={t('engines.hooks')} none={t('engines.noHooks')} names={engine.hooks}>
          {(name) => name}
        </Names>
      </Flex>
    </Card>
  )
}

interface NamesProps {
  readonly title: string
  readonly none: string
  readonly names: readonly string[]
  children(name: string): ReactNode
}

function Names({ title, none, names, children }: NamesProps) {
  return (
    <div>
      <Typography.Title level={3} style={{ fontSize: 14, margin: '0 0 6px' }}>
        {title}
      </Typography.Title>
      {names.length === 0 && <Typography.Text type="secondary">{none}</Typography.Text>}
      <Flex wrap gap={6}>
        {names.map((name) => (
          <Tag key={name} style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
            {children(name)}
          </Tag>
        ))}
      </Flex>
    </div>
  )
}

function Failures({ failures, node }: Pick<Engines, 'failures' | 'node'>) {
  const { t } = useTranslation('cloudCode')
  const format = useFormat()
  return (
    <Card size="small" title={t('failures.title')}>
      <Typography.Paragraph type="secondary">{t('failures.about', { node })}</Typography.Paragraph>
      <Table
        size="small"
        rowKey={({ at, hook, reason }) => `${at} ${hook} ${reason}`}
        dataSource={[...failures]}
        pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
        scroll={{ x: 'max-content' }}
        locale={{ emptyText: <Typography.Text type="secondary">{t('failures.none')}</Typography.Text> }}
        columns={[
          { title: t('failures.at'), dataIndex: 'at', render: (at: string) => format.time(at) },
          { title: t('failures.hook'), dataIndex: 'hook' },
          { title: t('failures.reason'), dataIndex: 'reason' },
        ]}
      />
    </Card>
  )
}
