import { Checkbox, Flex, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { FilePicture } from './file-picture.tsx'
import type { FileRecord } from './file-queries.ts'

interface FileCardProps {
  readonly file: FileRecord
  readonly isChosen: boolean
  /** Whether files can be selected, for actions on several. */
  readonly canChoose: boolean
  onOpen(): void
  onChoose(isChosen: boolean): void
}

/** A file in the list: image, name, size, time. */
export function FileCard({ file, isChosen, canChoose, onOpen, onChoose }: FileCardProps) {
  const { t } = useTranslation('files')
  const { token } = theme.useToken()
  const format = useFormat()
  const name = file.name ?? file.objectId
  return (
    <Card
      size="small"
      styles={{ body: { padding: 0 } }}
      style={{ overflow: 'hidden', position: 'relative', ...(isChosen ? { borderColor: token.colorPrimary } : {}) }}
    >
      <button
        type="button"
        className="plain-button"
        onClick={onOpen}
        style={{ display: 'block', width: '100%', textAlign: 'start' }}
      >
        <FilePicture file={file} />
        <Flex vertical style={{ padding: '8px 12px' }}>
          <Typography.Text ellipsis title={name}>
            {name}
          </Typography.Text>
          <Typography.Text type="secondary" style={{ fontSize: 12 }} ellipsis>
            {[file.size === undefined ? file.mime_type : format.bytes(file.size), format.ago(file.createdAt)]
              .filter(Boolean)
              .join(' · ')}
          </Typography.Text>
        </Flex>
      </button>
      {canChoose && (
        <Checkbox
          checked={isChosen}
          aria-label={t('choose', { name })}
          onChange={({ target }) => onChoose(target.checked)}
          style={{
            position: 'absolute',
            top: 8,
            insetInlineStart: 8,
            padding: 4,
            background: token.colorBgContainer,
            borderRadius: 6,
          }}
        />
      )}
    </Card>
  )
}
