import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Problem } from '../api/request.ts'

interface ProblemNoticeProps {
  readonly error: Error | null | undefined
  /** Offers to try again. */
  readonly onRetry?: () => void
}

/** Says what went wrong and what can be done. Shows nothing where nothing went wrong. */
export function ProblemNotice({ error, onRetry }: ProblemNoticeProps) {
  const { t } = useTranslation('parts')
  if (!error) return null
  const status = error instanceof Problem ? error.status : null
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      style={{ marginBottom: 16 }}
      title={status === 0 ? t('problem.unreachable') : error.message}
      description={advice(status)}
      action={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            {t('problem.retry')}
          </Button>
        )
      }
    />
  )

  function advice(known: number | null): string | undefined {
    if (known === 0) return t('problem.unreachableAdvice')
    if (known === 403) return t('problem.forbiddenAdvice')
    if (known === 429) return t('problem.busyAdvice')
    return known !== null && known >= 500 ? t('problem.brokenAdvice') : undefined
  }
}
