import { integer, section } from '../messaging/table.ts'
import { pushBars } from './bars.ts'
import type { CrashFigures } from './crash.ts'
import type { PushFigures } from './figures.ts'
import type { ManyFigure } from './many.ts'
import type { OnlineFigure } from './online.ts'

/** Formats the figures as text. */
export function report(figures: PushFigures): string {
  const { machine, options, many, online, crash } = figures
  const sections = [
    `Homeport pushes, ${integer(options.devices)} installations, provider ${options.provider}, ${figures.date}\n` +
      `${machine.processors} x ${machine.model}, Node ${machine.node}`,
  ]
  if (many) sections.push(manySection(many))
  if (online) sections.push(onlineSection(online, options.connections))
  if (crash) sections.push(crashSection(crash))
  const bars = pushBars(figures).map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
  if (bars.length > 0) sections.push(section('Bars', [['promise', 'measured', ''], ...bars]))
  return `${sections.join('\n\n')}\n`
}

function manySection(figures: readonly ManyFigure[]): string {
  const columns = ['devices', 'seconds', 'devices/s', 'MB before', 'MB at most', 'CPU s server', 'database', 'provider']
  const lines = figures.map(({ name, devices, elapsed, memory, processor, load }) => [
    name,
    integer(devices),
    (elapsed / 1000).toFixed(2),
    integer((devices * 1000) / elapsed),
    megabytes(memory.before),
    megabytes(memory.max),
    ...[processor.server, processor.database, processor.provider].map((time) =>
      time === null ? '?' : (time / 1000).toFixed(1),
    ),
    load.toFixed(1),
  ])
  return section('From the request until the record is done', [['', ...columns, 'load before'], ...lines])
}

function onlineSection(figures: readonly OnlineFigure[], connections: number): string {
  const lines = figures.map(({ name, samples, p50, p99, max, load }) => [
    name,
    integer(samples),
    ...[p50, p99, max].map((time) => time.toFixed(1)),
    load.toFixed(1),
  ])
  return section(`To one of ${integer(connections)} connected devices, milliseconds from the request to the arrival`, [
    ['', 'pushes', 'p50', 'p99', 'most', 'load before'],
    ...lines,
  ])
}

function crashSection({ devices, kills, killedAt, elapsed, record, counts, load }: CrashFigures): string {
  return section(`A server of two was killed ${kills} times, at ${killedAt.map(integer).join(', ')} devices`, [
    ['', 'devices'],
    ['installations', integer(devices)],
    ['sent to', integer(counts.devices)],
    ['handed over twice', integer(counts.handedTwice)],
    ['would show it twice', integer(counts.shownTwice)],
    ['devices of the record', integer(record.devices)],
    ['successes of the record', integer(record.successes)],
    ['requests', integer(counts.requests)],
    ['seconds', (elapsed / 1000).toFixed(1)],
    ['load before', load.toFixed(1)],
  ])
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0)
}
