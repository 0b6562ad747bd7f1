import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Action, Outcome } from './moving-in-queries.ts'

interface ResultTagProps {
  readonly action: Action
  readonly result: Outcome['result']
}

const COLOURS = { complete: 'success', incomplete: 'warning', failed: 'error', stopped: 'default' } as const

/** The result of an action as a tag. */
export function ResultTag({ action, result }: ResultTagProps) {
  const { t } = useTranslation('movingIn')
  return <Tag color={COLOURS[result]}>{t(`results.${action}.${result}`)}</Tag>
}
