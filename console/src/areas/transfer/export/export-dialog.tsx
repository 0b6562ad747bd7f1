import { useMutation } from '@tanstack/react-query'
import { Form, Radio, Typography } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import {
  endingOf,
  exportObjects,
  FORMATS,
  type Format,
  gather,
  MIME_TYPES,
  save,
  type Taken,
} from './export-objects.ts'

interface ExportDialogProps {
  readonly taken: Taken
  /** The number of selected rows; null: all rows of the filter */
  readonly chosen: number | null
  onClose(): void
}

/** Exports objects of a class to a file. */
export function ExportDialog({ taken, chosen, onClose }: ExportDialogProps) {
  const { t } = useTranslation('transfer')
  const formatted = useFormat()
  const [format, setFormat] = useState<Format>('csv')
  const [count, setCount] = useState(0)
  const abort = useRef<AbortController>(null)
  const exporting = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController()
      const blob = await gather(exportObjects(taken, format, setCount, abort.current.signal), MIME_TYPES[format])
      save(blob, `${taken.description.className}.${endingOf(format)}`)
    },
    onSuccess: onClose,
  })
  return (
    <Dialog
      open
      title={t('export.title')}
      okText={t('export.make')}
      okButtonProps={{ loading: exporting.isPending }}
      onOk={() => exporting.mutate()}
      onCancel={() => {
        abort.current?.abort()
        onClose()
      }}
    >
      <Typography.Paragraph type="secondary">
        {chosen === null ? t('export.all') : t('export.chosen', { count: chosen })}
      </Typography.Paragraph>
      <Form layout="vertical">
        <Form.Item label={t('export.format')}>
          <Radio.Group
            value={format}
            onChange={({ target }) => setFormat(target.value as Format)}
            options={FORMATS.map((value) => ({ value, label: t(`export.as.${value}`) }))}
            style={{ display: 'flex', flexDirection: 'column', gap: 8 }}
          />
        </Form.Item>
      </Form>
      {exporting.isPending && (
        <Typography.Paragraph role="status">
          {t('export.going', { count, shown: formatted.number(count) })}
        </Typography.Paragraph>
      )}
      <ProblemNotice error={exporting.error} />
    </Dialog>
  )
}
