import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { piecesOf } from '../../../../../src/notices/fill-in.ts'
import type { Notice } from '../../../../../src/notices/notice.ts'
import type { Language } from '../../../i18n/setup.ts'
import { usePartName } from '../part-name.ts'

/** A text in parts. English prose from outside the catalog is marked; names and numbers have no language. */
export type Phrase = readonly { readonly text: string; readonly isEnglish: boolean }[]

/** The catalogs of notices, loaded when a report is shown in their language. */
const CATALOGS = {
  en: async () => (await import('../../../../../src/notices/in-english.ts')).IN_ENGLISH,
  zh: async () => (await import('../../../../../src/notices/chinese.ts')).IN_CHINESE,
}

const PROSE = /[a-z]+ [a-z]+/

/** Returns a function that formats notices in the current language. Suspends until its catalog is loaded. */
export function useNotices(): (notice: Notice) => Phrase {
  const { i18n } = useTranslation()
  const partName = usePartName()
  const language = i18n.language as Language
  const { data } = useSuspenseQuery({
    queryKey: ['notices', language],
    queryFn: () => CATALOGS[language](),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (notice) =>
    piecesOf(notice, data).map(({ text, value }) => {
      if (value === null) return { text, isEnglish: false }
      return value === 'where' ? { text: partName(text), isEnglish: false } : asGiven(text)
    })
}

/** Returns a text from outside the catalog. */
export function asGiven(text: string): Phrase[number] {
  return { text, isEnglish: PROSE.test(text) }
}
