import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { Card } from '../../../parts/card.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { useShownData } from '../data-search.ts'
import { mayAddRows } from '../edits/row-rules.ts'
import { NewRow } from '../toolbar/new-row.tsx'

interface EmptyGridProps {
  readonly description: ClassDescription
  readonly isFiltered: boolean
}

/** The content of an empty grid: the first step, or a way back to all rows. */
export function EmptyGrid({ description, isFiltered }: EmptyGridProps) {
  const { t } = useTranslation('data')
  const { canChange } = useApp()
  const { show } = useShownData()
  if (isFiltered)
    return (
      <Card>
        <EmptyState
          title={t('grid.noneFound')}
          action={<Button onClick={() => show({ where: undefined })}>{t('filter.clear')}</Button>}
        >
          {t('grid.noneFoundAbout')}
        </EmptyState>
      </Card>
    )
  return (
    <Card>
      <EmptyState
        title={t('grid.none')}
        action={canChange && mayAddRows(description.className) && <NewRow description={description} type="primary" />}
      >
        {t('grid.noneAbout')}
      </EmptyState>
    </Card>
  )
}
