import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import type { Noted } from './move-report.ts'

interface LinesProps {
  readonly title: string
  readonly lines: readonly string[]
  /** The lines are those of the command, which speaks English. */
  readonly isOfCommand?: boolean
}

/** A titled list; nothing where there are no lines. */
export function Lines({ title, lines, isOfCommand = false }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <section>
      <Typography.Title level={3} style={{ fontSize: 14, margin: '8px 0 4px' }}>
        {title}
      </Typography.Title>
      <ul style={{ margin: 0, paddingInlineStart: 20 }} lang={isOfCommand ? 'en' : undefined}>
        {lines.map((line) => (
          <li key={line} style={{ overflowWrap: 'anywhere' }}>
            {line}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What was changed on the way, or should be known. */
export function NotedLines({ notes }: { readonly notes: readonly Noted[] }) {
  const { t } = useTranslation('movingIn')
  const { number } = useFormat()
  const lines = notes.map(({ text, count, examples }) => {
    const shown = examples.slice(0, 3).join(', ')
    return `${number(count)} × ${text}${shown === '' ? '' : ` (${shown}${count > 3 ? ', …' : ''})`}`
  })
  return <Lines title={t('report.notes')} lines={lines} isOfCommand />
}
