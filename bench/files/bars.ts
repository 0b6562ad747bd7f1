import type { Bar } from '../bars.ts'
import { median } from '../statistics.ts'
import { type FileFigures, ratioTo } from './figures.ts'

const MEGABYTE = 1_000_000

/** Returns the file targets of the measured parts. */
export function fileBars({ transfers = [], memory = [], pictures }: FileFigures): Bar[] {
  const bars: Bar[] = []
  const atLeast = (promise: string, measured: number, bar: number, digits = 2) =>
    bars.push({ promise, measured: measured.toFixed(digits), kept: measured >= bar })
  const downloads = transfers.find(({ operation, size }) => operation === 'download' && size === '1 MB')
  const ratio = downloads ? ratioTo('nginx', downloads) : null
  if (ratio !== null) atLeast('downloads of 1 MB: at least 0.5 of nginx', ratio, 0.5)
  for (const { name, memory: figures } of memory) {
    const grown = figures.max - figures.before
    bars.push({
      promise: `memory, ${name}: grows by less than 64 MB`,
      measured: `${(grown / MEGABYTE).toFixed(0)} MB`,
      kept: grown < 64 * MEGABYTE,
    })
  }
  if (pictures) {
    const { rounds } = pictures
    atLeast(
      'thumbnails, made: at least 0.8 of sharp alone',
      median(rounds.map(({ made, alone }) => made.perSecond / alone.perSecond)),
      0.8,
    )
    const gain = median(rounds.map(({ cached, made }) => cached.perSecond / made.perSecond))
    atLeast('thumbnails, shown again: at least 50 times those made', gain, 50, 0)
  }
  return bars
}
