import { LinkOutlined, PlusOutlined } from '@ant-design/icons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Tag } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApps } from '../../api/apps.ts'
import { type Administrator, meQuery } from '../../api/me.ts'
import { useFormat } from '../../i18n/format.ts'
import { Confirmation } from '../../parts/confirmation.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { AdministratorForm } from './administrator-form.tsx'
import { administratorsQuery, type EntryLink, makeLink, removeAdministrator } from './administrators-queries.ts'
import { LinkNotice } from './link-notice.tsx'

/** The administrators and their permissions. For owners. */
export function AdministratorsPage() {
  const { t } = useTranslation('administrators')
  const format = useFormat()
  const apps = useApps()
  const cache = useQueryClient()
  const administrators = useQuery(administratorsQuery)
  const me = useQuery(meQuery).data?.administrator
  const [edited, setEdited] = useState<Administrator | 'new' | null>(null)
  const [link, setLink] = useState<EntryLink | null>(null)
  const linking = useMutation({ mutationFn: makeLink, onSuccess: setLink })
  const removing = useMutation({
    mutationFn: removeAdministrator,
    onSettled: () => cache.invalidateQueries(administratorsQuery),
  })
  const nameOfApp = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId
  return (
    <Page
      title={t('administratorsTitle')}
      about={t('administratorsAbout')}
      actions={
        <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
          {t('add')}
        </Button>
      }
    >
      <ProblemNotice error={administrators.error ?? linking.error ?? removing.error} />
      <LinkNotice link={link} onClose={() => setLink(null)} />
      <Table<Administrator>
        rowKey="id"
        loading={administrators.isPending}
        dataSource={administrators.data ?? []}
        pagination={false}
        scroll={{ x: 'max-content' }}
        columns={[
          {
            title: t('name'),
            dataIndex: 'name',
            render: (name: string, { id }) => <span translate="no">{id === me?.id ? t('you', { name }) : name}</span>,
          },
          { title: t('role'), dataIndex: 'role', render: (role: Administrator['role']) => t(`roles.${role}`) },
          {
            title: t('apps'),
            dataIndex: 'apps',
            render: (theirs: Administrator['apps']) =>
              theirs === null ? t('allApps') : theirs.map((appId) => <Tag key={appId}>{nameOfApp(appId)}</Tag>),
          },
          {
            title: t('protection'),
            key: 'protection',
            render: (_, { hasPassword, hasTotp }) => (
              <>
                {hasPassword ? t('hasPassword') : <Tag>{t('notYetIn')}</Tag>}
                {hasTotp && <Tag color="success">{t('hasCodes')}</Tag>}
              </>
            ),
          },
          { title: t('since'), dataIndex: 'createdAt', render: (time: string) => format.time(time) },
          {
            title: t('actions'),
            key: 'actions',
            render: (_, administrator) => (
              <Flex gap={8}>
                <Button size="small" onClick={() => setEdited(administrator)}>
                  {t('edit')}
                </Button>
                <Confirmation
                  title={t('linkConfirm')}
                  description={administrator.hasPassword ? t('linkConfirmAbout') : undefined}
                  onConfirm={() => linking.mutate(administrator.id)}
                >
                  <Button size="small" icon={<LinkOutlined />}>
                    {t('link')}
                  </Button>
                </Confirmation>
                {administrator.id !== me?.id && (
                  <Confirmation
                    title={t('removeConfirm', { name: administrator.name })}
                    okButtonProps={{ danger: true }}
                    onConfirm={() => removing.mutate(administrator.id)}
                  >
                    <Button size="small" danger>
                      {t('remove')}
                    </Button>
                  </Confirmation>
                )}
              </Flex>
            ),
          },
        ]}
      />
      {edited !== null && (
        <AdministratorForm
          administrator={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onLink={setLink}
        />
      )}
    </Page>
  )
}
