import { useTranslation } from 'react-i18next'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { useEntryText } from '../../../parts/entry/use-entry-text.ts'

/** Returns why what was entered cannot be saved, in words; null when it is a value. */
export function useMissingText(): (entered: unknown) => string | null {
  const { t } = useTranslation('parts')
  const text = useEntryText()
  return (entered) => (entered === undefined ? t('entry.empty') : entered instanceof Unparsed ? text(entered) : null)
}
