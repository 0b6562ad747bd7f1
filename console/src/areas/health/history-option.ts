import type { EChartsCoreOption } from 'echarts/core'
import type { HistoryPoint } from './health-queries.ts'

export interface Line {
  /** The label of a line among others; null: it is the only one. */
  readonly name: string | null
  /** null: no measurement */
  readonly read: (point: HistoryPoint) => number | null
}

export interface ChartTexts {
  readonly colours: readonly string[]
  readonly text: string
  readonly line: string
}

interface Drawn {
  readonly points: readonly HistoryPoint[]
  readonly nodes: readonly string[]
  readonly lines: readonly Line[]
  /** The displayed range in milliseconds since 1970, with or without measurements. */
  readonly from: number
  readonly to: number
  readonly show: (value: number) => string
  readonly texts: ChartTexts
}

/** Returns the ECharts option for lines over time: those of each node, labeled when there are several. */
export function chartOption({ points, nodes, lines, from, to, show, texts }: Drawn): EChartsCoreOption {
  const series = nodes.flatMap((node) => {
    const theirs = points.filter((point) => point.node === node)
    return lines.map(({ name, read }) => ({
      type: 'line' as const,
      name: [nodes.length > 1 ? node : null, name].filter((part) => part !== null).join(' · '),
      data: theirs.map((point) => [point.at, read(point)]),
      // A single point would be invisible as a line.
      showSymbol: theirs.length < 3,
      lineStyle: { width: 1.5 },
    }))
  })
  const isNamed = series.length > 1
  const axis = { axisLabel: { color: texts.text }, axisLine: { lineStyle: { color: texts.line } } }
  return {
    animation: false,
    color: [...texts.colours],
    grid: { left: 8, right: 12, top: isNamed ? 36 : 12, bottom: 4, containLabel: true },
    ...(isNamed && { legend: { type: 'scroll', top: 0, textStyle: { color: texts.text } } }),
    tooltip: { trigger: 'axis', renderMode: 'richText', valueFormatter: valueFormatter(show), confine: true },
    xAxis: { type: 'time', min: from, max: to, ...axis, splitNumber: 4 },
    yAxis: {
      type: 'value',
      min: 0,
      splitNumber: 3,
      ...axis,
      axisLabel: { color: texts.text, formatter: (value: number) => show(value) },
      splitLine: { lineStyle: { color: texts.line } },
    },
    series,
  }
}

function valueFormatter(show: (value: number) => string) {
  return (value: unknown) => (typeof value === 'number' ? show(value) : '–')
}
