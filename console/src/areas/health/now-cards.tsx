import { Alert, Flex, Progress, Statistic, Typography } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import type { Health } from './health-queries.ts'

/** A warning is shown below this share of free disk space. */
const LITTLE_LEFT = 0.1

/** The current figures. */
export function NowCards({ health }: { readonly health: Health }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  const { state, database } = health
  const used = state.diskTotal === 0 ? 0 : 1 - state.diskFree / state.diskTotal
  return (
    <Flex vertical gap={12}>
      <Typography.Text type="secondary">
        {t('now.node', {
          version: health.version,
          node: health.node,
          runtime: health.runtime,
          since: format.time(health.startedAt),
        })}
        {health.redis === null ? '' : ` · ${t(`now.redis.${health.redis}`)}`}
      </Typography.Text>
      {health.redis === 'disconnected' && <Alert type="warning" showIcon title={t('now.redis.advice')} />}
      {used > 1 - LITTLE_LEFT && <Alert type="warning" showIcon title={t('now.diskAdvice')} />}
      <div style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))', gap: 12 }}>
        <Figure title={t('now.http')} value={format.number(state.httpConnections)} />
        <Figure title={t('now.websockets')} value={format.number(state.websockets)} />
        <Figure title={t('now.waiting')} value={format.number(state.waiting)} />
        <Figure title={t('now.dueJobs')} value={format.number(database.dueJobs)} />
        <Figure title={t('now.failedJobs')} value={format.number(database.failedJobs)} />
        <Figure title={t('now.memory')} value={format.bytes(state.memory)} />
        <Figure title={t('now.database')} value={format.bytes(database.size)} />
        <Figure
          title={t('now.cacheHits')}
          value={database.cacheHits === null ? t('noValue') : format.percent(database.cacheHits)}
        />
        <Figure title={t('now.disk')} value={format.bytes(state.diskFree)}>
          <Progress
            aria-label={t('now.diskUsed')}
            percent={Math.round(used * 100)}
            size="small"
            showInfo={false}
            status={used > 1 - LITTLE_LEFT ? 'exception' : 'normal'}
          />
        </Figure>
      </div>
    </Flex>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly children?: ReactNode
}

function Figure({ title, value, children }: FigureProps) {
  return (
    <Card size="small">
      <Statistic title={title} value={value} styles={{ content: { fontSize: 20 } }} />
      {children}
    </Card>
  )
}
