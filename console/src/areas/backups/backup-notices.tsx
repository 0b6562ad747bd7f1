import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import type { Backups } from './backups-queries.ts'

/** Warnings about backups: what fails, and what is not protected. */
export function BackupNotices({ backups }: { readonly backups: Backups }) {
  const { t } = useTranslation('backups')
  const format = useFormat()
  const last = backups.backups.find(({ run }) => run !== null && run.state !== 'running')?.run
  const { wal } = backups
  return (
    <>
      {backups.targetError !== null && (
        <Alert type="error" showIcon title={t('notices.target')} description={backups.targetError} />
      )}
      {last?.state === 'failed' && (
        <Alert
          type="error"
          showIcon
          title={t('notices.failed', { time: format.time(last.endedAt ?? last.startedAt) })}
          description={last.error}
        />
      )}
      {wal?.interruptedSince != null && (
        <Alert type="error" showIcon title={t('notices.interrupted', { time: format.time(wal.interruptedSince) })} />
      )}
      {wal?.error != null && (
        <Alert
          type="warning"
          showIcon
          title={t('notices.wal', { bytes: format.bytes(wal.waitingBytes) })}
          description={wal.error}
        />
      )}
      {!backups.includesDatabase && (
        <Alert type="warning" showIcon title={t('notices.external')} description={t('notices.externalAbout')} />
      )}
      {backups.isInData && <Alert type="warning" showIcon title={t('notices.inData')} />}
    </>
  )
}
