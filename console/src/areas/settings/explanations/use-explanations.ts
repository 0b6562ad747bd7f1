import { useTranslation } from 'react-i18next'
import type { Node } from '../schema.ts'
import { NAMES_IN_ENGLISH } from './en.ts'
import { type Explanation, textOf } from './explain.ts'
import { settingsInChinese } from './zh.ts'

export interface Explanations {
  /** What a setting is called. */
  nameOf(pattern: string): string
  explain(node: Node): Explanation
}

/** Explanations of settings in the language in use. In English the schema itself says what a setting does. */
export function useExplanations(): Explanations {
  const { i18n } = useTranslation()
  const isChinese = i18n.language === 'zh'
  const nameOf = (pattern: string) =>
    (isChinese ? textOf(settingsInChinese, pattern)?.[0] : textOf(NAMES_IN_ENGLISH, pattern)) ??
    pattern.split('.').at(-1)!
  const aboutOf = ({ pattern, schema }: Node) =>
    isChinese ? textOf(settingsInChinese, pattern)?.[1] : schema.description?.replaceAll('`', '')
  return { nameOf, explain: (node) => ({ title: nameOf(node.pattern), about: aboutOf(node) ?? '' }) }
}
