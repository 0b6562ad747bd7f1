import { Skeleton } from 'antd'
import type { EChartsCoreOption } from 'echarts/core'
import { lazy, Suspense } from 'react'

export interface ChartProps {
  readonly option: EChartsCoreOption
  /** Pixels */
  readonly height?: number
  /** What the picture shows, in words, for who does not see it. */
  readonly label: string
}

const EChart = lazy(() => import('./echart.tsx'))

/** A picture of figures. What draws it is large and is loaded when it is first shown. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton.Node active style={{ width: '100%', height: props.height ?? 220 }} />}>
      <EChart {...props} />
    </Suspense>
  )
}
