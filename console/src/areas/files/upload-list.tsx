import { CloseOutlined } from '@ant-design/icons'
import { Button, Flex, Progress, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import type { Upload, Uploads } from './use-uploads.ts'

const STATUS = {
  waiting: 'normal',
  sending: 'active',
  done: 'success',
  failed: 'exception',
  cancelled: 'exception',
} as const

/** The progress of the uploads. */
export function UploadList({ uploads: { list, cancel, clear } }: { readonly uploads: Uploads }) {
  const { t } = useTranslation('files')
  if (list.length === 0) return null
  const isBusy = list.some(isUnderWay)
  return (
    <Card
      size="small"
      title={t('uploads.title')}
      extra={!isBusy && <Button type="text" icon={<CloseOutlined />} aria-label={t('uploads.clear')} onClick={clear} />}
      styles={{ body: { maxHeight: 260, overflow: 'auto' } }}
    >
      <Flex vertical gap={8} aria-live="polite">
        {list.map((upload) => (
          <Line key={upload.id} upload={upload} onCancel={() => cancel(upload.id)} />
        ))}
      </Flex>
    </Card>
  )
}

function isUnderWay({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending'
}

function Line({ upload, onCancel }: { readonly upload: Upload; onCancel(): void }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { name, bytes, share, state, error } = upload
  return (
    <Flex vertical>
      <Flex gap={8} align="center" justify="space-between">
        <Typography.Text ellipsis style={{ minWidth: 0 }}>
          {name}
        </Typography.Text>
        <Flex gap={8} align="center" style={{ flexShrink: 0 }}>
          <Typography.Text type="secondary">{[t(`uploads.${state}`), format.bytes(bytes)].join(' · ')}</Typography.Text>
          {isUnderWay(upload) && (
            <Button
              type="text"
              size="small"
              icon={<CloseOutlined />}
              aria-label={t('uploads.cancel', { name })}
              onClick={onCancel}
            />
          )}
        </Flex>
      </Flex>
      {error && <Typography.Text type="danger">{error.message || t('uploads.lost')}</Typography.Text>}
      <Progress
        percent={Math.round(share * 100)}
        status={STATUS[state]}
        showInfo={false}
        size="small"
        aria-label={t('uploads.progress', { name })}
      />
    </Flex>
  )
}
