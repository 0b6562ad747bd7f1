import { useTranslation } from 'react-i18next'
import { settingsInEnglish } from './en.ts'
import { type Explanation, explain } from './explain.ts'
import { settingsInChinese } from './zh.ts'

export type Explain = (pattern: string) => Explanation

/** Explanations of settings in the language in use. */
export function useExplanations(): Explain {
  const { i18n } = useTranslation()
  const texts = i18n.language === 'zh' ? settingsInChinese : settingsInEnglish
  return (pattern) => explain(texts, pattern)
}
