import { CloseOutlined, DeleteOutlined, DownloadOutlined, EditOutlined } from '@ant-design/icons'
import { Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { ExportDialog } from '../../transfer/export/export-dialog.tsx'
import { DEFAULT_ORDER } from '../data-search.ts'
import { mayChangeRows } from '../edits/row-rules.ts'
import { DeleteRows } from './delete-rows.tsx'
import { SetField } from './set-field.tsx'

interface SelectionToolsProps {
  readonly description: ClassDescription
  /** Ids of the selected rows */
  readonly selected: ReadonlySet<string>
  onDone(): void
}

/** Actions on the selected rows. */
export function SelectionTools({ description, selected, onDone }: SelectionToolsProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId } = useApp()
  const [action, setAction] = useState<'delete' | 'set' | 'export' | null>(null)
  const end = () => setAction(null)
  return (
    <Flex wrap gap={8} align="center">
      <Typography.Text strong role="status">
        {t('rows.chosen', { count: selected.size, number: format.number(selected.size) })}
      </Typography.Text>
      {mayChangeRows(description.className) && (
        <Button icon={<EditOutlined />} onClick={() => setAction('set')}>
          {t('rows.setField')}
        </Button>
      )}
      <Button icon={<DownloadOutlined />} onClick={() => setAction('export')}>
        {t('rows.export')}
      </Button>
      <Button danger icon={<DeleteOutlined />} onClick={() => setAction('delete')}>
        {t('rows.delete')}
      </Button>
      <Button type="text" icon={<CloseOutlined />} onClick={onDone}>
        {t('rows.chooseNone')}
      </Button>
      {action === 'export' && (
        <ExportDialog
          taken={{ appId, description, where: { objectId: { $in: [...selected] } }, order: DEFAULT_ORDER }}
          chosen={selected.size}
          onClose={end}
        />
      )}
      {action === 'delete' && (
        <DeleteRows description={description} ids={[...selected]} onClose={end} onDone={onDone} />
      )}
      {action === 'set' && <SetField description={description} ids={[...selected]} onClose={end} onDone={onDone} />}
    </Flex>
  )
}
