import { theme } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { Chart } from '../../parts/chart.tsx'
import type { HistoryPoint, Range } from './health-queries.ts'
import { type ChartTexts, chartOption, type Line } from './history-option.ts'

interface HistoryChartsProps {
  readonly points: readonly HistoryPoint[]
  readonly range: Range
}

/** Charts of the history, with a line for each node. */
export function HistoryCharts({ points, range }: HistoryChartsProps) {
  const { t } = useTranslation('health')
  const format = useFormat()
  const { token } = theme.useToken()
  const now = Date.now()
  const nodes = useMemo(() => [...new Set(points.map(({ node }) => node))].sort(), [points])
  const perSecond = (value: number) => t('history.perSecond', { count: round(value) })
  const charts: readonly { readonly key: ChartKey; readonly lines: readonly Line[]; show(value: number): string }[] = [
    { key: 'requests', lines: [{ name: null, read: ({ requests }) => requests }], show: perSecond },
    {
      key: 'latency',
      lines: [
        { name: t('history.p50'), read: ({ p50 }) => p50 },
        { name: t('history.p99'), read: ({ p99 }) => p99 },
      ],
      show: (value) => format.duration(value),
    },
    {
      key: 'faults',
      lines: [
        { name: t('history.refused'), read: ({ refused }) => refused },
        { name: t('history.failed'), read: ({ failed }) => failed },
      ],
      show: perSecond,
    },
    {
      key: 'connections',
      lines: [
        { name: t('history.http'), read: ({ httpConnections }) => httpConnections },
        { name: t('history.websockets'), read: ({ websockets }) => websockets },
      ],
      show: (value) => format.number(value),
    },
    {
      key: 'queues',
      lines: [
        { name: t('history.waiting'), read: ({ waiting }) => waiting },
        { name: t('history.dueJobs'), read: ({ dueJobs }) => dueJobs },
      ],
      show: (value) => format.number(value),
    },
    { key: 'busy', lines: [{ name: null, read: ({ busy }) => busy }], show: (value) => format.percent(value) },
    { key: 'memory', lines: [{ name: null, read: ({ memory }) => memory }], show: (value) => format.bytes(value) },
    {
      key: 'database',
      lines: [{ name: null, read: ({ databaseSize }) => databaseSize }],
      show: (value) => format.bytes(value),
    },
    {
      key: 'cacheHits',
      lines: [{ name: null, read: ({ cacheHits }) => cacheHits }],
      show: (value) => format.percent(value),
    },
    { key: 'disk', lines: [{ name: null, read: ({ diskFree }) => diskFree }], show: (value) => format.bytes(value) },
  ]
  const texts: ChartTexts = {
    colours: [token.blue6, token.orange6, token.green6, token.purple6, token.cyan6, token.magenta6],
    text: token.colorTextSecondary,
    line: token.colorBorderSecondary,
  }
  return (
    <div style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(min(420px, 100%), 1fr))', gap: 16 }}>
      {charts.map(({ key, lines, show }) => (
        <Card key={key} size="small" title={t(`history.charts.${key}`)}>
          <Chart
            label={t('history.chartLabel', { what: t(`history.charts.${key}`), range: t(`history.${range}`) })}
            option={chartOption({ points, nodes, lines, from: now - LENGTHS[range], to: now, show, texts })}
            height={200}
          />
        </Card>
      ))}
    </div>
  )
}

/** Milliseconds */
const LENGTHS = { day: 86_400_000, week: 7 * 86_400_000 } as const

type ChartKey =
  | 'requests'
  | 'latency'
  | 'faults'
  | 'connections'
  | 'queues'
  | 'busy'
  | 'memory'
  | 'database'
  | 'cacheHits'
  | 'disk'

/** Rounds to three significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(3))
}
