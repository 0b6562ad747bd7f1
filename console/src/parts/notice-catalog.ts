import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Language as NoticeLanguage } from '../../../src/notices/fill-in.ts'
import type { Language } from '../i18n/setup.ts'

/** The catalogs of notices, loaded when a notice is shown in their language. */
const CATALOGS = {
  en: async () => (await import('../../../src/notices/in-english.ts')).IN_ENGLISH,
  zh: async () => (await import('../../../src/notices/chinese.ts')).IN_CHINESE,
}

/** Returns the notices of the server in the current language. Suspends until they are loaded. */
export function useNoticeCatalog(): NoticeLanguage {
  const { i18n } = useTranslation()
  const language = i18n.language as Language
  const { data } = useSuspenseQuery({
    queryKey: ['notices', language],
    queryFn: () => CATALOGS[language](),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
