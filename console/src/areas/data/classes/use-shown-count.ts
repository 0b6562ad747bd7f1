import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { classCountsQuery, countQuery, type RowCount } from '../data-queries.ts'

/** Returns a function that formats an exact or estimated count. */
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
 * Returns the number of objects of each class. The separate count of the selected class takes precedence because it is more
 * exact, so that the list and the class page agree.
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
