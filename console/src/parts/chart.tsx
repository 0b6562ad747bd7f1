import { Skeleton } from 'antd'
import type { EChartsCoreOption } from 'echarts/core'
import { lazy, Suspense } from 'react'

export interface ChartProps {
  readonly option: EChartsCoreOption
  /** Pixels */
  readonly height?: number
  /** A description of the chart for screen readers. */
  readonly label: string
}

const EChart = lazy(() => import('./echart.tsx'))

/** A chart. Its library is large, and is loaded when first shown. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton.Node active style={{ width: '100%', height: props.height ?? 220 }} />}>
      <EChart {...props} />
    </Suspense>
  )
}
