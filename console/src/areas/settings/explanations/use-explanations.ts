import { useTranslation } from 'react-i18next'
import type { Node } from '../schema.ts'
import { type Explanation, textOf } from './explain.ts'
import { SETTING_TEXTS } from './setting-texts.ts'

export interface Explanations {
  /** Returns the name of a setting. */
  nameOf(pattern: string): string
  explain(node: Node): Explanation
}

/** Returns explanations of settings in the current language. The English descriptions are in the schema. */
export function useExplanations(): Explanations {
  const { i18n } = useTranslation()
  const isChinese = i18n.language === 'zh'
  const nameOf = (pattern: string) => {
    const texts = textOf(SETTING_TEXTS, pattern)
    return (isChinese ? texts?.zh[0] : texts?.en) ?? pattern.split('.').at(-1)!
  }
  const aboutOf = ({ pattern, schema }: Node) =>
    isChinese ? textOf(SETTING_TEXTS, pattern)?.zh[1] : schema.description?.replaceAll('`', '')
  return { nameOf, explain: (node) => ({ title: nameOf(node.pattern), about: aboutOf(node) ?? '' }) }
}
