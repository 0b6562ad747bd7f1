import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { classCountsQuery, countQuery, type RowCount } from '../data-queries.ts'

/** How a count is shown that may be an estimate. */
export function useShownCount(): (count: RowCount) => string {
  const { t } = useTranslation('data')
  const format = useFormat()
  return ({ count, kind }) => {
    if (kind === 'exact') return format.number(count)
    const number = new Intl.NumberFormat(format.locale, { notation: 'compact', maximumFractionDigits: 1 }).format(count)
    return kind === 'estimated' ? t('count.about', { number }) : t('count.atLeast', { number })
  }
}

/**
 * How many objects each class has: of a class that was counted by itself that count, which is the more exact one, so
 * that the list says the same as the page of the class.
 */
export function useClassCounts(chosen: string | null): { readonly [className: string]: RowCount } {
  const { appId } = useApp()
  const queries = useQueryClient()
  const counts = useQuery(classCountsQuery(appId)).data
  const ofChosen = useQuery({ ...countQuery(appId, chosen ?? '', undefined), enabled: chosen !== null })
  return Object.fromEntries(
    Object.entries(counts ?? {}).map(([name, count]) => {
      const { queryKey } = countQuery(appId, name, undefined)
      const single = name === chosen && !ofChosen.isPlaceholderData ? ofChosen.data : queries.getQueryData(queryKey)
      return [name, single ?? count]
    }),
  )
}
