import { useTranslation } from 'react-i18next'
import type { Unparsed } from './parse-entry.ts'

/** Returns a function that describes the valid form of an invalid input. */
export function useEntryText(): (unparsed: Unparsed) => string {
  const { t } = useTranslation('parts')
  return ({ rule, values }) => t(`entry.rules.${rule}`, values)
}
