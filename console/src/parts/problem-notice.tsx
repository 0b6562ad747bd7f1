import { type Query, useQueryClient } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Problem } from '../api/request.ts'

interface ProblemNoticeProps {
  readonly error: Error | null | undefined
  /** Retries; by default a failed query is read again. */
  readonly onRetry?: () => void
}

/** Shows an error and its solution. Shows nothing without an error. */
export function ProblemNotice({ error, onRetry }: ProblemNoticeProps) {
  const { t } = useTranslation('parts')
  const queries = useQueryClient()
  if (!error) return null
  // A failed read can be repeated, wherever it is shown.
  const failed = { type: 'active', predicate: ({ state }: Query) => state.error === error } as const
  const canRead = queries.getQueryCache().findAll(failed).length > 0
  const retry = onRetry ?? (canRead ? () => void queries.refetchQueries(failed) : undefined)
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
        retry && (
          <Button size="small" onClick={retry}>
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
