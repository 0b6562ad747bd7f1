import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import type { RowCount } from '../data-queries.ts'

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
