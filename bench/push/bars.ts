import type { Bar } from '../bars.ts'
import type { PushFigures } from './figures.ts'

const MEGABYTE = 1_000_000

/** Returns the push targets of the measured parts. */
export function pushBars({ many, online, crash }: PushFigures): Bar[] {
  const bars: Bar[] = []
  const [all, again] = many ?? []
  if (all && again) {
    const rate = (all.devices * 1000) / all.elapsed
    const max = Math.max(...many!.map(({ memory }) => memory.max))
    bars.push(
      { promise: 'to all: at least 10 000 devices a second', measured: rate.toFixed(0), kept: rate >= 10_000 },
      megabytes('resident memory at most 300 MB', max, 300 * MEGABYTE),
      // Memory retained for a push would double.
      megabytes('memory stays flat: the second push takes at most 20 % more', again.memory.max, all.memory.max * 1.2),
    )
  }
  const [calm] = online ?? []
  if (calm)
    bars.push({
      promise: 'to one online: p99 within 50 ms',
      measured: `${calm.p99.toFixed(1)} ms`,
      kept: calm.p99 <= 50,
    })
  if (crash) {
    const { devices, record, counts } = crash
    bars.push(
      exactly('after kills: devices that got nothing', devices - counts.devices),
      exactly('after kills: devices that show it twice', counts.shownTwice),
      exactly(
        'after kills: difference of the record',
        Math.abs(devices - record.successes) + Math.abs(devices - record.devices),
      ),
    )
  }
  return bars
}

function megabytes(promise: string, measured: number, bar: number): Bar {
  return { promise, measured: `${(measured / MEGABYTE).toFixed(0)} MB`, kept: measured <= bar }
}

function exactly(promise: string, measured: number): Bar {
  return { promise, measured: String(measured), kept: measured === 0 }
}
