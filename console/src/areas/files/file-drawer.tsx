import { CopyOutlined, DeleteOutlined, DownloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { App, Button, Descriptions, Flex, Grid } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { Lesson } from '../../parts/lesson.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { useApp } from '../../shell/use-app.ts'
import { addressOf } from './file-kind.ts'
import { FilePreview } from './file-preview.tsx'
import { type FileRecord, fileQuery } from './file-queries.ts'

interface FileDrawerProps {
  readonly id: string
  onClose(): void
  onDelete(file: FileRecord): void
}

/** One file: what it shows, what is known of it, and what can be done with it. */
export function FileDrawer({ id, onClose, onDelete }: FileDrawerProps) {
  const { t } = useTranslation('files')
  const { appId } = useApp()
  const isWide = Grid.useBreakpoint().md ?? true
  const { data: file, error } = useQuery(fileQuery(appId, id))
  return (
    <Drawer open title={file?.name ?? t('file')} onClose={onClose} size={isWide ? 640 : '100%'}>
      <ProblemNotice error={error} />
      {file === null && <Lesson title={t('gone')} />}
      {file === undefined && !error && <Loading />}
      {file && <FileContent file={file} onDelete={() => onDelete(file)} />}
    </Drawer>
  )
}

function FileContent({ file, onDelete }: { readonly file: FileRecord; onDelete(): void }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { message } = App.useApp()
  const { appId, canChange } = useApp()
  const address = addressOf(appId, file)
  const copy = async () => {
    await navigator.clipboard.writeText(new URL(file.url ?? address ?? '', location.href).href)
    void message.success(t('copied'))
  }
  const known = [
    ['name', file.name],
    ['type', file.mime_type],
    ['size', format.bytes(file.size)],
    ['owner', shownText(file.owner)],
    ['time', format.time(file.createdAt)],
    ['id', file.objectId],
    ['url', file.url],
  ] as const
  return (
    <Flex vertical gap={16}>
      <FilePreview file={file} />
      <Flex wrap gap={8}>
        <Button icon={<CopyOutlined />} disabled={address === null} onClick={() => void copy()}>
          {t('copy')}
        </Button>
        {address !== null && (
          <Button
            icon={<DownloadOutlined />}
            href={`${address}${address.startsWith('/') ? '?download' : ''}`}
            rel="noreferrer"
            target="_blank"
          >
            {t('download')}
          </Button>
        )}
        {canChange && (
          <Button danger icon={<DeleteOutlined />} onClick={onDelete}>
            {t('delete')}
          </Button>
        )}
      </Flex>
      <Descriptions
        column={1}
        size="small"
        bordered
        items={known
          .filter(([, value]) => value)
          .map(([key, value]) => ({
            key,
            label: t(`about.${key}`),
            children: <span style={{ wordBreak: 'break-all' }}>{value}</span>,
          }))}
      />
    </Flex>
  )
}
