import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { App as AntApp, Button, Flex, Statistic, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { ownMember } from '../../api/own-member.ts'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { PushStatus } from './push-status.tsx'
import { type Failure, type PushResult, pushQuery, textOf } from './pushes.ts'
import { ReachNotice } from './reach-notice.tsx'
import { Retry } from './retry.tsx'
import { useChannelName } from './use-channel-name.ts'

/** The result of one push: successes, and the reasons for failures. */
export function ResultPage() {
  const { t } = useTranslation('push')
  const { appId, canChange } = useApp()
  const { time } = useFormat()
  const { pushId } = useParams({ from: '/signed-in/apps/$appId/push/results/$pushId' })
  const { data: push, error, refetch } = useQuery(pushQuery(appId, pushId))
  return (
    <Page
      title={push ? textOf(push.data) : pushId}
      about={
        <Flex wrap gap={8} align="center">
          <Link to="/apps/$appId/push" params={{ appId }}>
            {t('result.back')}
          </Link>
          {push && <PushStatus push={push} />}
          {push && <Typography.Text type="secondary">{time(push.pushAt ?? push.createdAt)}</Typography.Text>}
          <Typography.Text type="secondary" copyable={{ text: clipboardLine(pushId) }}>
            {pushId}
          </Typography.Text>
        </Flex>
      }
      actions={
        push &&
        canChange && (
          <>
            <Retry push={push} />
            <Removal push={push} />
          </>
        )
      }
    >
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {push ? <Outcome push={push} /> : !error && <Loading />}
    </Page>
  )
}

function Outcome({ push }: { readonly push: PushResult }) {
  const { t } = useTranslation('push')
  const { number } = useFormat()
  const channelName = useChannelName()
  const channels = [...new Set([...Object.keys(push.successes), ...push.failures.map(({ channel }) => channel)])]
  const rows = channels.map((channel) => ({
    channel,
    taken: channel === null ? 0 : (ownMember(push.successes, channel) ?? 0),
    failed: push.failures.filter((failure) => failure.channel === channel).reduce((all, { count }) => all + count, 0),
  }))
  return (
    <>
      <ReachNotice push={push} />
      <Flex wrap gap={16}>
        {(
          [
            ['devices', push.devices],
            ['taken', rows.reduce((all, { taken }) => all + taken, 0)],
            ['failed', rows.reduce((all, { failed }) => all + failed, 0)],
          ] as const
        ).map(([name, count]) => (
          <Card key={name} style={{ width: 180 }}>
            <Statistic title={t(`history.${name}`)} value={count} formatter={(value) => number(Number(value))} />
          </Card>
        ))}
      </Flex>
      <Flex wrap gap={16} align="start">
        <Card title={t('result.byChannel')} style={{ flex: '1 1 360px', minWidth: 0 }}>
          <Table
            rowKey={({ channel }) => String(channel)}
            size="small"
            pagination={false}
            dataSource={rows}
            locale={{ emptyText: <Typography.Text type="secondary">{t('result.noDevices')}</Typography.Text> }}
            columns={[
              { title: t('result.channel'), render: (_, { channel }) => channelName(channel) },
              { title: t('history.taken'), align: 'right', render: (_, { taken }) => number(taken) },
              { title: t('history.failed'), align: 'right', render: (_, { failed }) => number(failed) },
            ]}
          />
        </Card>
        <Card title={t('result.reasons')} style={{ flex: '2 1 420px', minWidth: 0 }}>
          <Table<Failure>
            rowKey={({ channel, reason }) => `${channel} ${reason}`}
            size="small"
            pagination={false}
            dataSource={push.failures}
            locale={{ emptyText: <Typography.Text type="secondary">{t('result.noFailures')}</Typography.Text> }}
            columns={[
              { title: t('result.channel'), render: (_, { channel }) => channelName(channel) },
              {
                title: t('result.reason'),
                render: (_, { reason }) => <span style={{ overflowWrap: 'anywhere' }}>{reason}</span>,
              },
              { title: t('history.devices'), align: 'right', render: (_, { count }) => number(count) },
            ]}
          />
        </Card>
      </Flex>
      <Flex wrap gap={16}>
        {(['data', 'target'] as const).map((name) => (
          <Card key={name} title={t(`result.${name}`)} style={{ flex: '1 1 360px', minWidth: 0 }}>
            <JsonEditor
              readOnly
              height="180px"
              label={t(`result.${name}`)}
              value={JSON.stringify(push[name], null, 2)}
            />
          </Card>
        ))}
      </Flex>
    </>
  )
}

function Removal({ push }: { readonly push: PushResult }) {
  const { t } = useTranslation('push')
  const app = useApp()
  const { modal, message } = AntApp.useApp()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => app.call('DELETE', path`/1.1/notifications/${push.id}`),
    onSuccess: async () => {
      await navigate({ to: '/apps/$appId/push', params: { appId: app.appId } })
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'pushes', 'list'] })
    },
    onError: (error) => void message.error(error.message),
  })
  const confirmRemoval = () =>
    modal.confirm({
      title: t('removal.title'),
      content: t('removal.about'),
      okText: t('removal.remove'),
      okButtonProps: { danger: true },
      onOk: () => remove.mutate(),
    })
  return (
    <Button danger loading={remove.isPending} onClick={confirmRemoval}>
      {t('removal.open')}
    </Button>
  )
}
