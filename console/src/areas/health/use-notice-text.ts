import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { fillIn } from '../../../../src/notices/fill-in.ts'
import type { Notice } from '../../../../src/notices/notice.ts'
import type { Language } from '../../i18n/setup.ts'

/** The catalogs of notices, loaded when findings are shown in their language. */
const CATALOGS = {
  en: async () => (await import('../../../../src/notices/in-english.ts')).IN_ENGLISH,
  zh: async () => (await import('../../../../src/notices/chinese.ts')).IN_CHINESE,
}

/** Returns a function that formats notices of the server in the current language. Suspends until its catalog is loaded. */
export function useNoticeText(): (notice: { readonly code: string }) => string {
  const { i18n } = useTranslation()
  const language = i18n.language as Language
  const { data } = useSuspenseQuery({
    queryKey: ['notices', language],
    queryFn: () => CATALOGS[language](),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (notice) => fillIn(notice as Notice, data)
}
