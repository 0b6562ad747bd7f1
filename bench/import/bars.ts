import type { Bar } from '../bars.ts'
import { type ImportFigures, memoryOf, rateOf, shareOf, slowdownOf } from './figures.ts'

const MEGABYTE = 1_000_000

/** Returns the import targets of the measured parts. */
export function importBars({ records, neighbour }: ImportFigures): Bar[] {
  const bars: Bar[] = []
  for (const figure of records) {
    const rate = rateOf(figure)
    if (figure.name === 'objects')
      bars.push({ promise: 'objects a second: at least 20 000', measured: rate.toFixed(0), kept: rate >= 20_000 })
    const share = shareOf(figure)
    bars.push({ promise: `${figure.name}: at least 0.5 of COPY`, measured: share.toFixed(2), kept: share >= 0.5 })
    for (const name of ['command', 'server']) {
      const bytes = memoryOf(figure)[name]!
      const measured = `${(bytes / MEGABYTE).toFixed(0)} MB`
      bars.push({
        promise: `${figure.name}, memory of the ${name}: under 400 MB`,
        measured,
        kept: bytes < 400 * MEGABYTE,
      })
    }
  }
  if (neighbour) {
    const times = slowdownOf(neighbour)
    const promise = 'p99 of a query of another app: at most doubled'
    bars.push({ promise, measured: times.toFixed(2), kept: times <= 2 })
  }
  return bars
}
