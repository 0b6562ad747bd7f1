import { useQuery } from '@tanstack/react-query'
import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { FromApp } from './from-app.tsx'
import { FromFiles } from './from-files.tsx'
import { MoveList } from './move-list.tsx'
import { movesQuery } from './moving-in-queries.ts'
import { WayOut } from './way-out.tsx'

/** The import and export of an app, with previous moves. */
export function MovingInPage() {
  const { t } = useTranslation('movingIn')
  const { appId, canChange } = useApp()
  const moves = useQuery(movesQuery(appId))
  return (
    <Page title={t('title')} about={t('about')}>
      {canChange && (
        <div
          style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(360px, 100%), 1fr))', gap: 16 }}
        >
          <Card title={t('files.title')}>
            <FromFiles />
          </Card>
          <Card title={t('app.title')}>
            <FromApp />
          </Card>
        </div>
      )}
      <Card title={t('list.title')}>
        <ProblemNotice error={moves.error} onRetry={() => void moves.refetch()} />
        <MoveList moves={moves.data ?? []} isLoading={moves.isPending} />
      </Card>
      {canChange && <WayOut />}
      <Flex>
        <Typography.Text type="secondary">{t('command')}</Typography.Text>
      </Flex>
    </Page>
  )
}
