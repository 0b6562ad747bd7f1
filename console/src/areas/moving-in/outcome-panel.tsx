import { Alert, Flex, Typography, theme } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { DownloadButton } from '../../parts/download-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import type { Action, Move, Outcome } from './moving-in-queries.ts'
import { CommandText } from './report/command-text.tsx'
import { FailureText } from './report/failure-text.tsx'
import { ReportView } from './report/report-view.tsx'

interface OutcomePanelProps {
  readonly action: Action
  readonly move: Move
  readonly outcome: Outcome
}

const KINDS = { complete: 'success', incomplete: 'warning', failed: 'error', stopped: 'info' } as const

/** The result of an action: a sentence, the report, and rejected records. */
export function OutcomePanel({ action, move, outcome }: OutcomePanelProps) {
  const { t } = useTranslation('movingIn')
  const { token } = theme.useToken()
  const format = useFormat()
  const { appId, canChange } = useApp()
  return (
    <Flex vertical gap={12} style={{ marginTop: 16 }}>
      <Alert
        type={KINDS[outcome.result]}
        showIcon
        title={t(`conclusions.${action}.${outcome.result}`)}
        description={t('outcome.at', { time: format.time(outcome.at) })}
      />
      {outcome.report && (
        <Suspense fallback={<Loading />}>
          <ReportView report={outcome.report} />
        </Suspense>
      )}
      {!outcome.report && (outcome.failure || outcome.text !== '') && (
        <section
          aria-label={t('outcome.report')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          style={{
            padding: 12,
            maxHeight: 420,
            overflow: 'auto',
            background: token.colorFillQuaternary,
            borderRadius: token.borderRadius,
          }}
        >
          {outcome.failure ? (
            <Suspense fallback={<Loading />}>
              <FailureText failure={outcome.failure} />
            </Suspense>
          ) : (
            <CommandText text={outcome.text} />
          )}
        </section>
      )}
      {outcome.hasRejected && canChange && (
        <Flex wrap gap={12} align="center">
          <DownloadButton path={path`/admin/apps/${appId}/moves/${move.id}/rejected`} query={{ action }}>
            {t(action === 'verify' ? 'outcome.differences' : 'outcome.rejected')}
          </DownloadButton>
          <Typography.Text type="secondary">
            {t(action === 'verify' ? 'outcome.differencesAbout' : 'outcome.rejectedAbout')}
          </Typography.Text>
        </Flex>
      )}
    </Flex>
  )
}
