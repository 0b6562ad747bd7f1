import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { useMutation, useQuery } from '@tanstack/react-query'
import { App, Button, Flex, Progress, Tag, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { queryClient } from '../../api/query-client.ts'
import { request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type Index, indexesQuery } from './class-queries.ts'
import { IndexDialog } from './index-dialog.tsx'
import { IndexKeys } from './index-keys.tsx'

/** The indexes of a class with their size and usage. */
export function IndexesTab({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const format = useFormat()
  const { modal, message } = App.useApp()
  const { appId, canChange } = useApp()
  const { className } = description
  const [isAdding, setIsAdding] = useState(false)
  const indexes = useQuery(indexesQuery(appId, className))
  const removing = useMutation({
    mutationFn: ({ name }: Index) =>
      request('DELETE', '/admin/apps/{appId}/classes/{className}/indexes/{name}', {
        params: { appId, className, name },
      }),
    onSuccess: () => void message.success(t('indexes.removed')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: indexesQuery(appId, className).queryKey }),
  })
  const confirmRemoval = (index: Index) =>
    modal.confirm({
      title: t('indexes.removeOf', { keys: index.keys.join(', ') }),
      content: index.unique ? t('indexes.removeUnique') : t('indexes.removeWhat'),
      okText: t('indexes.remove'),
      okButtonProps: { danger: true },
      onOk: () => removing.mutateAsync(index).catch(() => {}),
    })
  return (
    <Flex vertical gap={16}>
      <Typography.Paragraph type="secondary" style={{ margin: 0, maxWidth: 760 }}>
        {t('indexes.about')}
      </Typography.Paragraph>
      <ProblemNotice error={indexes.error ?? removing.error} />
      <Card
        styles={{ body: { padding: 0 } }}
        title={t('tabs.indexes')}
        extra={
          canChange && (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsAdding(true)}>
              {t('indexes.add')}
            </Button>
          )
        }
      >
        <Table<Index>
          rowKey="name"
          loading={indexes.isPending}
          dataSource={indexes.data ?? []}
          pagination={false}
          scroll={{ x: 720 }}
          columns={[
            {
              title: t('indexes.keys'),
              key: 'keys',
              render: (_, index) => (
                <Flex wrap gap={4} align="center">
                  <IndexKeys keys={index.keys} isSorted={index.kind === 'sorted'} />
                  {index.unique && <Tag>{t('indexes.unique')}</Tag>}
                  {index.kind === 'elements' && <Tag>{t('indexes.elements')}</Tag>}
                  {index.kind === 'place' && <Tag>{t('indexes.place')}</Tag>}
                </Flex>
              ),
            },
            {
              title: t('indexes.madeBy'),
              key: 'madeBy',
              render: (_, { madeBy, madeAt }) => (
                <Flex vertical>
                  {madeBy === null ? '' : t(`indexes.by.${madeBy}`)}
                  {madeAt !== null && <Typography.Text type="secondary">{format.time(madeAt)}</Typography.Text>}
                </Flex>
              ),
            },
            {
              title: t('indexes.size'),
              key: 'size',
              align: 'end',
              width: 110,
              render: (_, { bytes }) => format.bytes(bytes),
            },
            {
              title: t('indexes.uses'),
              key: 'uses',
              align: 'end',
              width: 130,
              render: (_, { uses, ready, progress }) =>
                ready ? (
                  format.number(uses)
                ) : (
                  <Flex vertical>
                    {t('indexes.building')}
                    <Progress
                      percent={Math.round((progress ?? 0) * 100)}
                      size="small"
                      aria-label={t('indexes.building')}
                    />
                  </Flex>
                ),
            },
            ...(canChange
              ? [
                  {
                    title: <span className="only-heard">{t('schema.actions')}</span>,
                    key: 'actions',
                    width: 56,
                    render: (_: unknown, index: Index) =>
                      (index.kind === 'sorted' || index.kind === 'elements') && (
                        <Button
                          type="text"
                          icon={<DeleteOutlined />}
                          aria-label={t('indexes.removeOf', { keys: index.keys.join(', ') })}
                          onClick={() => void confirmRemoval(index)}
                        />
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Card>
      {isAdding && <IndexDialog description={description} onClose={() => setIsAdding(false)} />}
    </Flex>
  )
}
