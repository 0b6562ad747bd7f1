import { useQuery } from '@tanstack/react-query'
import { Flex, Input, Segmented, Tag, Typography, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { ClearIcon } from '../../parts/clear-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { logQuery } from './health-queries.ts'
import { COLOURS, LEVELS, type Level, parseLine, type ReadLine } from './log-line.ts'

type Shown = 'all' | Level

/** The last lines of the log, newest first. */
export function LogTab() {
  const { t } = useTranslation('health')
  const log = useQuery(logQuery)
  const [shown, setShown] = useState<Shown>('all')
  const [words, setWords] = useState('')
  if (log.isPending) return <Loading />
  const lines = (log.data?.lines ?? [])
    .filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()))
    .map(parseLine)
    .filter(({ level }) => shown === 'all' || level === shown)
    .reverse()
  return (
    <Flex vertical gap={12}>
      <ProblemNotice error={log.error} onRetry={() => void log.refetch()} />
      <Typography.Text type="secondary">{t('log.about', { node: log.data?.node })}</Typography.Text>
      <Flex wrap gap={12}>
        <Segmented<Shown>
          aria-label={t('log.level')}
          value={shown}
          options={(['all', ...LEVELS] as const).map((value) => ({ value, label: t(`log.levels.${value}`) }))}
          onChange={setShown}
        />
        <Input.Search
          aria-label={t('log.find')}
          placeholder={t('log.find')}
          allowClear={{ clearIcon: <ClearIcon /> }}
          style={{ maxWidth: 320 }}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </Flex>
      {lines.length === 0 ? (
        <EmptyState title={t('log.none')}>{t('log.noneAbout')}</EmptyState>
      ) : (
        <Lines lines={lines} />
      )}
    </Flex>
  )
}

function Lines({ lines }: { readonly lines: readonly ReadLine[] }) {
  const { t } = useTranslation('health')
  const { token } = theme.useToken()
  const format = useFormat()
  return (
    <ol
      aria-label={t('log.lines')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      style={{
        margin: 0,
        padding: 0,
        listStyle: 'none',
        maxHeight: '70vh',
        overflow: 'auto',
        background: token.colorBgContainer,
        border: `1px solid ${token.colorBorderSecondary}`,
        borderRadius: token.borderRadius,
      }}
    >
      {lines.map(({ number, time, level, text, rest }) => (
        <li key={number} style={{ padding: '6px 12px', borderBottom: `1px solid ${token.colorBorderSecondary}` }}>
          <Flex wrap gap={8} align="baseline">
            <Typography.Text type="secondary">{time === null ? t('noValue') : format.time(time)}</Typography.Text>
            {level !== null && <Tag color={COLOURS[level]}>{t(`log.levels.${level}`)}</Tag>}
            <Typography.Text translate="no">{text}</Typography.Text>
          </Flex>
          {rest !== '' && (
            <Typography.Text translate="no" type="secondary" style={{ fontSize: 12, overflowWrap: 'anywhere' }}>
              {rest}
            </Typography.Text>
          )}
        </li>
      ))}
    </ol>
  )
}
