import { InboxOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Flex, Typography, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { createMove } from './moving-in-queries.ts'
import { upload } from './uploads.ts'

/** Asks for the files of an export. */
export function FromFiles() {
  const { t } = useTranslation('movingIn')
  const format = useFormat()
  const { appId } = useApp()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [files, setFiles] = useState<readonly File[]>([])
  const begin = useMutation({
    mutationFn: () => createMove(appId, { kind: 'files', files: files.map(({ name, size }) => ({ name, size })) }),
    onSuccess: async (move) => {
      void upload(appId, move, files).then(() => client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] }))
      await navigate({ to: '/apps/$appId/moving-in/$moveId', params: { appId, moveId: move.id } })
    },
  })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <Flex vertical gap={12}>
      <Typography.Text type="secondary">{t('files.about')}</Typography.Text>
      <Upload.Dragger
        multiple
        showUploadList={false}
        beforeUpload={(_, chosen) => {
          setFiles((before) => withoutDoubles([...before, ...chosen]))
          return false
        }}
      >
        <p className="ant-upload-drag-icon">
          <InboxOutlined />
        </p>
        <p>{t('files.drop')}</p>
      </Upload.Dragger>
      {files.length > 0 && (
        <Flex wrap justify="space-between" align="center" gap={8}>
          <Typography.Text>{t('files.chosen', { count: files.length, size: format.bytes(size) })}</Typography.Text>
          <Flex gap={8}>
            <Button onClick={() => setFiles([])}>{t('files.clear')}</Button>
            <Button type="primary" loading={begin.isPending} onClick={() => begin.mutate()}>
              {t('files.upload')}
            </Button>
          </Flex>
        </Flex>
      )}
      <ProblemNotice error={begin.error} />
    </Flex>
  )
}

/** Removes duplicate names, keeping the last. antd reports all selected files with each one. */
function withoutDoubles(files: readonly File[]): File[] {
  return [...new Map(files.map((file) => [file.name, file])).values()]
}
