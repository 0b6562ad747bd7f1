import { DownloadOutlined } from '@ant-design/icons'
import { Alert, Button, Flex, Spin, Statistic } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import type { Counts } from './send-records.ts'

interface ImportOutcomeProps {
  /** null: nothing sent yet */
  readonly counts: Counts | null
  readonly isOver: boolean
  readonly isSaving: boolean
  onSaveRejected(): void
}

const SHOWN = ['read', 'created', 'updated', 'existing', 'rejected'] as const

/** The current results of an import. */
export function ImportOutcome({ counts, isOver, isSaving, onSaveRejected }: ImportOutcomeProps) {
  const { t } = useTranslation('transfer')
  const format = useFormat()
  const rejected = counts?.rejected ?? 0
  return (
    <Flex vertical gap={16} role="status">
      <Flex wrap gap={32} align="center">
        {!isOver && <Spin />}
        {SHOWN.map((name) => (
          <Statistic key={name} title={t(`import.count.${name}`)} value={format.number(counts?.[name] ?? 0)} />
        ))}
      </Flex>
      {isOver && rejected === 0 && <Alert type="success" showIcon title={t('import.done')} />}
      {isOver && rejected > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('import.someRejected')}
          description={t('import.rejectedAbout')}
          action={
            <Button icon={<DownloadOutlined />} loading={isSaving} onClick={onSaveRejected}>
              {t('import.saveRejected')}
            </Button>
          }
        />
      )}
    </Flex>
  )
}
