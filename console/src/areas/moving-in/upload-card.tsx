import { useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Upload as FileChoice, Flex, Progress, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { filesOf, isUploaded, type Move } from './moving-in-queries.ts'
import { upload, useUpload } from './uploads.ts'

/** The progress of the upload, and a way to resume it. */
export function UploadCard({ move }: { readonly move: Move }) {
  const { t } = useTranslation('movingIn')
  const format = useFormat()
  const { appId, canChange } = useApp()
  const client = useQueryClient()
  const state = useUpload(move.id)
  const files = filesOf(move.source)
  if (files.length === 0) return null
  if (move.received === null) return <Alert type="info" showIcon title={t('upload.elsewhere')} />
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const here = Math.max(
    state?.sent ?? 0,
    move.received.reduce((sum, bytes) => sum + bytes, 0),
  )
  const isDone = isUploaded(move)
  const goOn = async (chosen: readonly File[]) => {
    await upload(appId, move, chosen)
    await client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] })
  }
  return (
    <Card size="small" title={t('upload.title')}>
      <Flex vertical gap={8}>
        <Progress
          aria-label={t('upload.title')}
          percent={Math.floor((100 * here) / total)}
          status={isDone ? 'success' : state?.isRunning ? 'active' : 'normal'}
        />
        <Typography.Text type="secondary">
          {t('upload.state', { here: format.bytes(here), total: format.bytes(total), count: files.length })}
        </Typography.Text>
        <ProblemNotice error={state?.error} />
        {!isDone && !state?.isRunning && canChange && (
          <Flex wrap gap={12} align="center">
            <FileChoice
              multiple
              showUploadList={false}
              beforeUpload={(file, all) => {
                if (file === all[0]) void goOn(all)
                return false
              }}
            >
              <Button type="primary">{t('upload.goOn')}</Button>
            </FileChoice>
            <Typography.Text type="secondary">{t('upload.goOnAbout')}</Typography.Text>
          </Flex>
        )}
      </Flex>
    </Card>
  )
}
