import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Progress, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirmation } from '../../parts/confirmation.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { finishFollowing, type Move, stopAction } from './moving-in-queries.ts'
import { usePartName } from './part-name.ts'

/** The progress and remaining time of a running action. */
export function ProgressCard({ move }: { readonly move: Move }) {
  const { t } = useTranslation('movingIn')
  const { appId, canChange } = useApp()
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => stopAction(appId, move.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] }),
  })
  const end = useMutation({
    mutationFn: () => finishFollowing(appId, move.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] }),
  })
  const { progress } = move
  const isFollowed = move.action === 'bring' && move.options.follow === true
  const isEnding = move.options.until !== undefined && Date.parse(move.options.until) <= Date.now()
  // Following runs without a defined end, so it has no progress bar.
  const hasEnd = progress?.followedAt === undefined
  const share = hasEnd && progress?.total ? Math.min(1, progress.done / progress.total) : null
  return (
    <Card
      size="small"
      title={t(`running.${move.action ?? 'try'}`)}
      extra={
        canChange && (
          <Flex gap={8} wrap>
            {isFollowed && !isEnding && (
              <Confirmation
                title={t('progress.endFollowing')}
                description={t('progress.endFollowingAbout')}
                okText={t('progress.endFollowing')}
                onConfirm={() => end.mutate()}
              >
                <Button size="small" type="primary" loading={end.isPending}>
                  {t('progress.endFollowing')}
                </Button>
              </Confirmation>
            )}
            <Button size="small" loading={stop.isPending} onClick={() => stop.mutate()}>
              {t('progress.stop')}
            </Button>
          </Flex>
        )
      }
    >
      {share !== null && (
        <Progress aria-label={t('progress.label')} percent={Math.floor(share * 100)} status="active" />
      )}
      <Typography.Text type="secondary" aria-live="polite">
        <ProgressText move={move} share={share} />
      </Typography.Text>
      <Typography.Paragraph type="secondary" style={{ margin: '8px 0 0' }}>
        {t('progress.leave')}
      </Typography.Paragraph>
      <ProblemNotice error={stop.error ?? end.error} />
    </Card>
  )
}

function ProgressText({ move: { progress }, share }: { readonly move: Move; readonly share: number | null }) {
  const { t } = useTranslation('movingIn')
  const format = useFormat()
  const partName = usePartName()
  if (!progress) return t('progress.waiting')
  const milliseconds = Math.max(1, Date.now() - Date.parse(progress.since))
  const left = share !== null && share > 0.01 ? (milliseconds * (1 - share)) / share : null
  return (
    <Flex wrap gap={16}>
      {progress.followedAt !== undefined && (
        <span>{t('progress.following', { time: format.time(progress.followedAt) })}</span>
      )}
      {progress.part !== null && <span>{partName(progress.part)}</span>}
      <span>{t('progress.records', { count: progress.records, shown: format.number(progress.records) })}</span>
      {progress.followedAt === undefined && (
        <span>{t('progress.rate', { rate: format.number(Math.round((1000 * progress.records) / milliseconds)) })}</span>
      )}
      {left !== null && <span>{t('progress.left', { time: format.duration(left) })}</span>}
      {progress.rejected > 0 && <span>{t('progress.rejected', { shown: format.number(progress.rejected) })}</span>}
    </Flex>
  )
}
