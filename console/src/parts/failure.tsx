import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Lesson } from './lesson.tsx'
import { useIsOutdated } from './outdated.ts'
import { ProblemNotice } from './problem-notice.tsx'

/** Stands in place of a page that could not be shown. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('parts')
  // What the browser says of it is for nobody; the notice above the page offers what helps.
  if (useIsOutdated()) return <Lesson title={t('outdated.missing')} />
  return <ProblemNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
}
