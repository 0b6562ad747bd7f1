import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import type { AudienceCount } from './pushes.ts'

/**
 * Returns a function that explains why a push reaches no device although some match; null when none matches, or some device gets
 * it.
 */
export function useUnreachableText(): (audience: AudienceCount) => string | null {
  const { t } = useTranslation('push')
  const { number } = useFormat()
  return ({ unreachable }) => {
    if (!unreachable) return null
    const { invalid, inactive } = unreachable
    const counts = { invalid: number(invalid), inactive: number(inactive) }
    if (inactive === 0) return t('unreachable.invalid', counts)
    return invalid === 0 ? t('unreachable.inactive', counts) : t('unreachable.both', counts)
  }
}
