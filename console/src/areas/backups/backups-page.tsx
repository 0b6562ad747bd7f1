import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { BackupNotices } from './backup-notices.tsx'
import { BackupTable } from './backup-table.tsx'
import { BackupTarget } from './backup-target.tsx'
import { backupsQuery, beginBackup } from './backups-queries.ts'
import { RestoreCard } from './restore-card.tsx'

/** The backups of the server, for its owners. */
export function BackupsPage() {
  const { t } = useTranslation('backups')
  const backups = useQuery(backupsQuery)
  const { data } = backups
  const newest = data?.backups.find(({ isStored, run }) => isStored && run?.state !== 'failed')
  return (
    <Page title={t('title')} about={t('about')} actions={<BeginButton isRunning={data?.running != null} />}>
      <ProblemNotice error={backups.error} onRetry={() => void backups.refetch()} />
      {data && (
        <Flex vertical gap={16}>
          <BackupNotices backups={data} />
          <BackupTarget backups={data} />
          {data.backups.length === 0 ? (
            <EmptyState title={t('none')}>{t('noneAbout')}</EmptyState>
          ) : (
            <BackupTable backups={data.backups} running={data.running} />
          )}
          {newest && <RestoreCard folder={data.folder} name={newest.name} hasWal={data.wal !== null} />}
        </Flex>
      )}
    </Page>
  )
}

function BeginButton({ isRunning }: { readonly isRunning: boolean }) {
  const { t } = useTranslation('backups')
  const { message } = App.useApp()
  const client = useQueryClient()
  const begin = useMutation({
    mutationFn: beginBackup,
    onSuccess: () => void message.success(t('begun')),
    onError: (error: Error) => void message.error(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['backups'] }),
  })
  return (
    <Button type="primary" loading={begin.isPending} disabled={isRunning} onClick={() => begin.mutate()}>
      {isRunning ? t('isRunning') : t('begin')}
    </Button>
  )
}
