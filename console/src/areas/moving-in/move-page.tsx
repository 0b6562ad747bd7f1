import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Confirmation } from '../../parts/confirmation.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { SourceName } from './move-list.tsx'
import { isUploaded, moveQuery, removeMove } from './moving-in-queries.ts'
import { ProgressCard } from './progress-card.tsx'
import { StepCard } from './step-card.tsx'
import { UploadCard } from './upload-card.tsx'

/** One move: its source, dry run, import and verification. */
export function MovePage() {
  const { t } = useTranslation('movingIn')
  const { appId, canChange } = useApp()
  const { moveId } = useParams({ strict: false }) as { moveId: string }
  const navigate = useNavigate()
  const client = useQueryClient()
  const query = useQuery(moveQuery(appId, moveId))
  const removal = useMutation({
    mutationFn: () => removeMove(appId, moveId),
    onSuccess: async () => {
      await navigate({ to: '/apps/$appId/moving-in', params: { appId } })
      client.removeQueries({ queryKey: ['apps', appId, 'moves', moveId] })
      await client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] })
    },
  })
  const move = query.data
  if (query.isPending) return <Loading />
  return (
    <Page
      title={t('move.title')}
      about={move && <SourceName move={move} />}
      actions={
        <>
          <Button onClick={() => void navigate({ to: '/apps/$appId/moving-in', params: { appId } })}>
            {t('move.back')}
          </Button>
          {canChange && move && (
            <Confirmation
              title={t('move.removeTitle')}
              description={t('move.removeAbout')}
              okText={t('move.remove')}
              okButtonProps={{ danger: true }}
              onConfirm={() => removal.mutate()}
            >
              <Button danger loading={removal.isPending}>
                {t('move.remove')}
              </Button>
            </Confirmation>
          )}
        </>
      }
    >
      <ProblemNotice error={query.error ?? removal.error} onRetry={() => void query.refetch()} />
      {move && (
        <Flex vertical gap={16}>
          <UploadCard move={move} />
          {move.action !== null && <ProgressCard move={move} />}
          <StepCard action="try" move={move} isReady={isUploaded(move)} />
          <StepCard action="bring" move={move} isReady={isUploaded(move)} />
          <StepCard action="verify" move={move} isReady={isUploaded(move)} />
        </Flex>
      )}
    </Page>
  )
}
