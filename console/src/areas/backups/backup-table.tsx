import { Tag, Tooltip, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Table } from '../../parts/table.tsx'
import { Wide } from '../../parts/wide.tsx'
import type { Backup, Backups } from './backups-queries.ts'

interface BackupTableProps {
  readonly backups: readonly Backup[]
  readonly running: Backups['running']
}

/** All stored and failed backups. */
export function BackupTable({ backups, running }: BackupTableProps) {
  const { t } = useTranslation('backups')
  const format = useFormat()
  return (
    <Wide label={t('title')}>
      <Table<Backup>
        size="small"
        rowKey="name"
        dataSource={[...backups]}
        pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
        columns={[
          { title: t('startedAt'), dataIndex: 'startedAt', render: (time: string) => format.time(time) },
          {
            title: t('state'),
            key: 'state',
            render: (_, backup) => <State backup={backup} part={running?.name === backup.name ? running.part : null} />,
          },
          {
            title: t('size'),
            dataIndex: 'bytes',
            align: 'right',
            render: (bytes: number | null) => (bytes === null ? t('noValue') : format.bytes(bytes)),
          },
          {
            title: t('duration'),
            key: 'duration',
            align: 'right',
            render: (_, { run }) =>
              run?.endedAt == null
                ? t('noValue')
                : format.duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
          },
          { title: t('checked'), key: 'checked', render: (_, backup) => <Checked backup={backup} /> },
          {
            title: t('name'),
            dataIndex: 'name',
            render: (name: string) => (
              <Typography.Text code translate="no">
                {name}
              </Typography.Text>
            ),
          },
        ]}
      />
    </Wide>
  )
}

interface StateProps {
  readonly backup: Backup
  /** The part in progress; null: it does not run. */
  readonly part: NonNullable<Backups['running']>['part'] | null
}

function State({ backup: { isStored, run }, part }: StateProps) {
  const { t } = useTranslation('backups')
  if (part !== null) return <Tag color="processing">{t(`parts.${part}`)}</Tag>
  if (run?.state === 'failed')
    return (
      <Tooltip title={run.error}>
        <Tag color="error">{t('failed')}</Tag>
      </Tooltip>
    )
  return isStored ? <Tag color="success">{t('complete')}</Tag> : <Tag>{t('elsewhere')}</Tag>
}

function Checked({ backup: { run } }: { readonly backup: Backup }) {
  const { t } = useTranslation('backups')
  const format = useFormat()
  if (run?.state !== 'succeeded') return t('noValue')
  if (run.checked)
    return t('counted', { tables: format.number(run.checked.tables), rows: format.number(run.checked.rows) })
  return t(run.skipped === 'space' ? 'sumsForSpace' : 'sums')
}
