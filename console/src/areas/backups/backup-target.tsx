import { Descriptions } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import type { Backups } from './backups-queries.ts'

/** Where backups are stored, and when the next one is made. */
export function BackupTarget({ backups }: { readonly backups: Backups }) {
  const { t } = useTranslation('backups')
  const format = useFormat()
  const { target, isEncrypted, nextRun, wal, backups: listed } = backups
  const last = listed.find(({ run }) => run?.state === 'succeeded')?.run
  return (
    <Card size="small">
      <Descriptions
        size="small"
        column={{ xs: 1, md: 2 }}
        items={[
          { key: 'target', label: t('target'), children: <span translate="no">{target}</span> },
          { key: 'encrypted', label: t('encrypted'), children: t(isEncrypted ? 'yes' : 'no') },
          {
            key: 'last',
            label: t('lastSuccess'),
            children: last ? format.ago(last.endedAt ?? last.startedAt) : t('never'),
          },
          { key: 'next', label: t('nextRun'), children: nextRun === null ? t('notScheduled') : format.time(nextRun) },
          {
            key: 'wal',
            label: t('walUntil'),
            children:
              wal === null ? t('walOff') : wal.archivedUntil === null ? t('walNone') : format.time(wal.archivedUntil),
          },
        ]}
      />
    </Card>
  )
}
