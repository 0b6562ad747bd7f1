import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from './empty-state.tsx'
import { useIsOutdated } from './outdated.ts'
import { ProblemNotice } from './problem-notice.tsx'

/** Replaces a page that could not be shown, and retries its code and data. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('parts')
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  // The browser's error text for a missing file does not help; the notice above the page offers the solution.
  if (useIsOutdated()) return <EmptyState title={t('outdated.missing')} />
  return <ProblemNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
}
