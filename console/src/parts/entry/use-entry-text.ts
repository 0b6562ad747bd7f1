import { useTranslation } from 'react-i18next'
import type { Unparsed } from './parse-entry.ts'

/** Returns what form is right, in words, for what was entered in another one. */
export function useEntryText(): (unparsed: Unparsed) => string {
  const { t } = useTranslation('parts')
  return ({ rule, values }) => t(`entry.rules.${rule}`, values)
}
