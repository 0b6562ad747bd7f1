import { useTranslation } from 'react-i18next'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { useEntryText } from '../../../parts/entry/use-entry-text.ts'

/** Returns a function that explains why input cannot be saved; null when it is valid. */
export function useMissingText(): (entered: unknown) => string | null {
  const { t } = useTranslation('parts')
  const text = useEntryText()
  return (entered) => (entered === undefined ? t('entry.empty') : entered instanceof Unparsed ? text(entered) : null)
}
