import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Noted } from '../../../../../src/moves/move-report.ts'
import type { Notice } from '../../../../../src/notices/notice.ts'
import { useFormat } from '../../../i18n/format.ts'
import { type Phrase, useNotices } from './use-notices.ts'

interface LinesProps {
  readonly title: string
  readonly lines: readonly (string | Phrase)[]
}

/** A titled list; nothing without lines. */
export function Lines({ title, lines }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <section>
      <Typography.Title level={3} style={{ fontSize: 14, margin: '8px 0 4px' }}>
        {title}
      </Typography.Title>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {lines.map((line) => (
          <li key={JSON.stringify(line)} style={{ overflowWrap: 'anywhere' }}>
            {typeof line === 'string' ? line : <PhraseText phrase={line} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface NoticeLinesProps {
  readonly title: string
  readonly notices: readonly Notice[]
}

/** Notices of a report, one per line. */
export function NoticeLines({ title, notices }: NoticeLinesProps) {
  const filledIn = useNotices()
  return <Lines title={title} lines={notices.map(filledIn)} />
}

/** Changes made during the import, and other notes. */
export function NotedLines({ notes }: { readonly notes: readonly Noted[] }) {
  const { t } = useTranslation('movingIn')
  const { number } = useFormat()
  const filledIn = useNotices()
  const lines = notes.map(({ notice, count, examples }): Phrase => {
    const shown = examples.slice(0, 3).join(', ')
    const locations = shown === '' ? '' : ` (${shown}${count > 3 ? ', …' : ''})`
    return [
      { text: `${number(count)} × `, isEnglish: false },
      ...filledIn(notice),
      { text: locations, isEnglish: false },
    ]
  })
  return <Lines title={t('report.notes')} lines={lines} />
}

/** A text whose parts are marked with their language. */
export function PhraseText({ phrase }: { readonly phrase: Phrase }) {
  return phrase.map(({ text, isEnglish }, index) =>
    isEnglish ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name and never move
      <span key={index} lang="en">
        {text}
      </span>
    ) : (
      text
    ),
  )
}
