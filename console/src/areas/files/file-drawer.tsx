import { CopyOutlined, DeleteOutlined, DownloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { App, Button, Descriptions, Flex, Grid } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { clipboardLine, copyText } from '../../parts/clipboard-text.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { APART, OutsideButton } from '../../parts/outside-link.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { type ShownMedia, useShownMedia } from '../../parts/use-shown-media.ts'
import { ownPath } from './file-kind.ts'
import { FilePreview } from './file-preview.tsx'
import { type FileRecord, fileQuery } from './file-queries.ts'

interface FileDrawerProps {
  readonly id: string
  onClose(): void
  onDelete(file: FileRecord): void
}

/** One file: preview, metadata, and actions. */
export function FileDrawer({ id, onClose, onDelete }: FileDrawerProps) {
  const { t } = useTranslation('files')
  const { appId } = useApp()
  const isWide = Grid.useBreakpoint().md ?? true
  const { data: file, error } = useQuery(fileQuery(appId, id))
  return (
    <Drawer open title={file?.name ?? t('file')} onClose={onClose} size={isWide ? 640 : '100%'}>
      <ProblemNotice error={error} />
      {file === null && <EmptyState title={t('gone')} />}
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
  const own = ownPath(appId, file)
  const shown = useShownMedia()
  const media = own === null ? shown(file.url) : { from: 'here' as const, src: own }
  const link = media.from === 'nowhere' ? null : linkOf(file, media)
  const copy = async () => {
    await copyText(clipboardLine(link ?? ''))
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
        <Button icon={<CopyOutlined />} disabled={link === null} onClick={() => void copy()}>
          {t('copy')}
        </Button>
        {media.from === 'here' && (
          <Button icon={<DownloadOutlined />} href={downloadOf(media.src)} {...APART}>
            {t('download')}
          </Button>
        )}
        {media.from === 'elsewhere' && <OutsideButton url={file.url!} host={media.host} />}
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

/** Returns the URL of the record when it refers to the file, else the URL of its bytes on this server. */
function linkOf({ url }: FileRecord, media: Exclude<ShownMedia, { readonly from: 'nowhere' }>): string {
  if (url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url)) return new URL(url).href
  return media.from === 'here' ? new URL(media.src, location.href).href : ''
}

function downloadOf(src: string): string {
  return `${src}${src.includes('?') ? '&' : '?'}download`
}
