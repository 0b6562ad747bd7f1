import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useAppearance } from './appearance-context.ts'
import type { ChartProps } from './chart.tsx'

use([BarChart, LineChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer])

/** `Chart`, loaded. */
export default function EChart({ option, height = 220, label }: ChartProps) {
  const { isDark } = useAppearance()
  const container = useRef<HTMLDivElement>(null)
  const chart = useRef<ReturnType<typeof init>>(null)

  useEffect(() => {
    const made = init(container.current, isDark ? 'dark' : null, { renderer: 'svg' })
    chart.current = made
    const follow = new ResizeObserver(() => made.resize())
    follow.observe(container.current!)
    return () => {
      follow.disconnect()
      made.dispose()
      chart.current = null
    }
  }, [isDark])

  // After the effect above, also when the colors change and the chart is re-created.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isDark` stands for the re-created chart
  useEffect(() => {
    chart.current?.setOption({ backgroundColor: 'transparent', ...option }, { notMerge: true })
  }, [option, isDark])

  return <div ref={container} role="img" aria-label={label} style={{ width: '100%', height }} />
}
