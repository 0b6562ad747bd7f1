import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Lesson } from './lesson.tsx'
import { useIsOutdated } from './outdated.ts'
import { ProblemNotice } from './problem-notice.tsx'

/** Stands in place of a page that could not be shown, and tries again what it lacks: its code, its data. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('parts')
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  // The browser's text for a missing part does not help; the notice above the page says what to do.
  if (useIsOutdated()) return <Lesson title={t('outdated.missing')} />
  return <ProblemNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
}
