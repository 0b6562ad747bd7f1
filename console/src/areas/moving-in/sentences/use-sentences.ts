import { useTranslation } from 'react-i18next'
import { usePartName } from '../part-name.ts'
import { asItIs, inChinese, type Phrase } from './chinese.ts'

/** Sentences of commands, which speak English, in the language in use as far as they are known. */
export function useSentences(): (text: string) => Phrase {
  const { i18n } = useTranslation()
  const partName = usePartName()
  return (text) => (i18n.language === 'zh' && inChinese(text, partName)) || asItIs(text)
}
