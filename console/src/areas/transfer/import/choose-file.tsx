import { InboxOutlined } from '@ant-design/icons'
import { Typography, Upload } from 'antd'
import { useTranslation } from 'react-i18next'

interface ChooseFileProps {
  readonly isPending: boolean
  onFile(file: File): void
}

/** The file selection, with drag and drop. */
export function ChooseFile({ isPending, onFile }: ChooseFileProps) {
  const { t } = useTranslation('transfer')
  return (
    <Upload.Dragger
      accept=".csv,.xlsx,.xls,.json,.jsonl,.ndjson,.txt,text/csv,application/json"
      showUploadList={false}
      disabled={isPending}
      beforeUpload={(file) => {
        onFile(file)
        return false
      }}
    >
      <InboxOutlined aria-hidden style={{ fontSize: 36 }} />
      <Typography.Paragraph strong style={{ margin: '8px 0 4px' }}>
        {t('import.choose')}
      </Typography.Paragraph>
      <Typography.Text type="secondary">{t('import.forms')}</Typography.Text>
    </Upload.Dragger>
  )
}
