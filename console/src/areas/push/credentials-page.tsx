import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Alert, Badge, Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { PushLinks } from './push-links.tsx'
import { useChannelName } from './use-channel-name.ts'

type Credential = Answers['GET /admin/apps/{appId}/push-credentials']['credentials'][number]

/** The credentials of push providers, and whether they are valid. */
export function CredentialsPage() {
  const { t } = useTranslation('push')
  const { appId, canChange } = useApp()
  const channelName = useChannelName()
  const list = useQuery({
    queryKey: ['apps', appId, 'pushes', 'credentials'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/push-credentials', { params: { appId }, signal })).credentials,
  })
  const settings = (
    <Link to="/apps/$appId/settings" params={{ appId }}>
      {t('credentials.settings')}
    </Link>
  )
  return (
    <Page title={t('credentials.title')} about={t('credentials.about')} actions={settings}>
      <PushLinks />
      <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
      <Table<Credential>
        rowKey={({ provider, kind, name }) => `${provider} ${kind} ${name}`}
        size="middle"
        loading={list.isPending}
        dataSource={list.data ?? []}
        pagination={false}
        scroll={{ x: 640 }}
        locale={{
          emptyText: list.isPending ? (
            ' '
          ) : (
            <EmptyState title={t('credentials.none')} action={settings}>
              {t('credentials.noneAbout')}
            </EmptyState>
          ),
        }}
        columns={[
          { title: t('credentials.provider'), render: (_, { provider }) => channelName(provider) },
          { title: t('credentials.kind'), render: (_, { kind }) => t(`credentials.kinds.${kind}`) },
          { title: t('credentials.name'), render: (_, { name }) => <Typography.Text code>{name}</Typography.Text> },
          {
            title: t('credentials.validUntil'),
            render: (_, { validUntil }) => (validUntil === null ? '–' : <End time={validUntil} />),
          },
          {
            title: t('credentials.check'),
            hidden: !canChange,
            width: 360,
            render: (_, credential) => <Check credential={credential} />,
          },
        ]}
      />
    </Page>
  )
}

const MONTH = 30 * 86_400_000

function End({ time }: { readonly time: number }) {
  const { t } = useTranslation('push')
  const format = useFormat()
  const left = time - Date.now()
  return (
    <Flex gap={8} wrap>
      <span>{format.time(time)}</span>
      {left < 0 ? (
        <Badge status="error" text={t('credentials.expired')} />
      ) : (
        left < MONTH && <Badge status="warning" text={t('credentials.expiresSoon')} />
      )}
    </Flex>
  )
}

const TYPES = { valid: 'success', refused: 'error', unreachable: 'warning' } as const

function Check({ credential: { provider, kind, name } }: { readonly credential: Credential }) {
  const { t } = useTranslation('push')
  const { appId } = useApp()
  const channelName = useChannelName()
  const check = useMutation({
    mutationFn: () =>
      request('POST', '/admin/apps/{appId}/push-credentials/check', {
        params: { appId },
        body: { provider, kind, name },
      }),
  })
  return (
    <Flex vertical gap={8} align="start">
      <Button
        size="small"
        loading={check.isPending}
        aria-label={`${t('credentials.checkNow')}: ${channelName(provider)} ${name}`}
        onClick={() => check.mutate()}
      >
        {t('credentials.checkNow')}
      </Button>
      <ProblemNotice error={check.error} />
      {check.data && (
        <Alert
          type={TYPES[check.data.verdict]}
          showIcon
          role="status"
          title={t(`credentials.verdicts.${check.data.verdict}`)}
          description={check.data.reason}
        />
      )}
    </Flex>
  )
}
