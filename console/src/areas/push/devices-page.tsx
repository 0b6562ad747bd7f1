import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Badge, Button, Flex, Input, Select, Tag, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownList, shownText } from '../../parts/shown-text.ts'
import { Table } from '../../parts/table.tsx'
import { ComposeLink } from './compose-link.tsx'
import { DeviceDrawer } from './device-drawer.tsx'
import { DEVICE_TYPES, type Device, devicesQuery } from './devices.ts'
import { PushLinks } from './push-links.tsx'

/** The devices of an app. */
export function DevicesPage() {
  const { t } = useTranslation('push')
  const app = useApp()
  const { ago, time } = useFormat()
  const navigate = useNavigate()
  const search = useSearch({ from: '/signed-in/apps/$appId/push/devices' })
  const { type = '', channel = '', id = '' } = search
  const [opened, setOpened] = useState<Device | null>(null)
  const list = useInfiniteQuery(devicesQuery(app, { type, channel, id }))
  const look = (changed: typeof search) =>
    void navigate({ to: '/apps/$appId/push/devices', params: { appId: app.appId }, search: { ...search, ...changed } })
  return (
    <Page title={t('devices.title')} about={t('devices.about')} actions={<ComposeLink />}>
      <PushLinks />
      <Flex wrap gap={8} role="search">
        <Select
          aria-label={t('devices.type')}
          style={{ width: 180 }}
          value={type}
          options={[
            { value: '', label: t('devices.allTypes') },
            ...DEVICE_TYPES.map((value) => ({ value, label: value })),
          ]}
          onChange={(value) => look({ type: value })}
        />
        <Input.Search
          key={`channel ${channel}`}
          aria-label={t('devices.channel')}
          placeholder={t('devices.channel')}
          style={{ width: 220 }}
          defaultValue={channel}
          onSearch={(text) => look({ channel: text.trim() })}
        />
        <Input.Search
          key={`id ${id}`}
          aria-label={app.canChange ? t('devices.id') : t('devices.objectId')}
          placeholder={app.canChange ? t('devices.id') : t('devices.objectId')}
          style={{ width: 320, maxWidth: '100%' }}
          defaultValue={id}
          onSearch={(text) => look({ id: text.trim() })}
        />
      </Flex>
      <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
      <Table<Device>
        rowKey="objectId"
        size="middle"
        loading={list.isPending}
        dataSource={list.data?.pages.flat() ?? []}
        pagination={false}
        scroll={{ x: 720 }}
        locale={{
          emptyText: list.isPending ? ' ' : <EmptyState title={t('devices.none')}>{t('devices.noneAbout')}</EmptyState>,
        }}
        columns={[
          {
            title: t('devices.device'),
            render: (_, device) => (
              <Button type="link" size="small" style={{ padding: 0 }} onClick={() => setOpened(device)}>
                {device.objectId}
              </Button>
            ),
          },
          {
            title: t('devices.type'),
            render: (_, { deviceType, vendor, valid }) => (
              <Flex gap={4} wrap>
                {deviceType ? <Tag>{shownText(deviceType)}</Tag> : null}
                {vendor ? <Tag>{shownText(vendor)}</Tag> : null}
                {valid === false && <Badge status="error" text={t('devices.invalid')} />}
              </Flex>
            ),
          },
          {
            title: t('devices.channels'),
            render: (_, { channels }) => (
              <Typography.Text ellipsis style={{ maxWidth: 260 }}>
                {shownList(channels) || '–'}
              </Typography.Text>
            ),
          },
          { title: t('devices.timeZone'), render: (_, { timeZone }) => shownText(timeZone) || '–' },
          {
            title: t('devices.heard'),
            render: (_, { updatedAt }) => <span title={time(updatedAt)}>{ago(updatedAt)}</span>,
          },
        ]}
      />
      {list.hasNextPage && (
        <Flex justify="center">
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more')}
          </Button>
        </Flex>
      )}
      <DeviceDrawer device={opened} onClose={() => setOpened(null)} />
    </Page>
  )
}
