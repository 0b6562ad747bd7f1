import { section } from '../messaging/table.ts'
import { median } from '../statistics.ts'
import { fileBars } from './bars.ts'
import type { ContestantName } from './contestants/contestant.ts'
import { type FileFigures, ratioTo, typical } from './figures.ts'
import type { MemoryFigure } from './memory.ts'
import type { PictureFigures, PictureRound } from './pictures.ts'
import type { TransferFigure } from './transfers.ts'

/** Formats the figures as text. */
export function report(figures: FileFigures): string {
  const { machine, options, transfers, memory, pictures } = figures
  const versions = [
    `Node ${machine.node}`,
    machine.nginx ? `nginx ${machine.nginx}` : 'no nginx is installed',
    ...(machine.parseServer ? [`Parse Server ${machine.parseServer}`] : []),
  ]
  const sections = [
    `Homeport files, ${options.rounds} rounds, ${options.seconds} s of downloads each, ${figures.date}\n` +
      `${machine.processors} x ${machine.model}, ${versions.join(', ')}`,
  ]
  if (transfers) sections.push(transferSection('download', transfers), transferSection('upload', transfers))
  if (memory) sections.push(memorySection(memory))
  if (pictures) sections.push(pictureSection(pictures))
  const bars = fileBars(figures).map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
  if (bars.length > 0) sections.push(section('Bars', [['promise', 'measured', ''], ...bars]))
  return `${sections.join('\n\n')}\n`
}

function transferSection(operation: TransferFigure['operation'], all: readonly TransferFigure[]): string {
  const figures = all.filter((figure) => figure.operation === operation)
  const others = (['nginx', 'parse-server'] as const).filter((name) => figures[0]?.rounds[name])
  const names: readonly ContestantName[] = ['homeport', ...others]
  const lines = figures.map((figure) => [
    figure.size,
    String(figure.connections),
    ...names.map((name) => shown((typical(figure.rounds[name], 'rate') ?? Number.NaN) / 1_000_000)),
    ...others.map((name) => (ratioTo(name, figure) ?? Number.NaN).toFixed(2)),
    ...names.map((name) => shown(typical(figure.rounds[name], 'processor') ?? Number.NaN)),
    figure.load.toFixed(1),
  ])
  const heading = [
    'files of',
    'connections',
    ...names.map((name) => `${name} MB/s`),
    ...others.map((name) => `times ${name}`),
    ...names.map((name) => `${name} CPU ms/MB`),
    'load before',
  ]
  return section(operation === 'download' ? 'Downloads' : 'Uploads', [heading, ...lines])
}

function memorySection(figures: readonly MemoryFigure[]): string {
  const lines = figures.map(({ name, memory, load }) => [
    name,
    megabytes(memory.before),
    megabytes(memory.max),
    megabytes(memory.after),
    load.toFixed(1),
  ])
  return section('Resident memory of the server', [
    ['', 'MB before', 'MB at most', 'MB after', 'load before'],
    ...lines,
  ])
}

function pictureSection({ source, atOnce, connections, rounds, load }: PictureFigures): string {
  const row = (title: string, name: keyof PictureRound) => {
    const all = rounds.map((round) => round[name])
    const processor = all.flatMap((round) => round.processor ?? [])
    const rate = shown(median(all.map(({ perSecond }) => perSecond)))
    return [title, rate, processor.length === 0 ? '?' : shown(median(processor))]
  }
  const picture = `${source.width} x ${source.height}, ${megabytes(source.bytes)} MB`
  return section(`Thumbnails of a JPEG of ${picture}; load before ${load.toFixed(1)}`, [
    ['', 'a second', 'CPU ms each'],
    row(`sharp alone, ${atOnce} at a time`, 'alone'),
    row(`Homeport, ${atOnce} at a time, made`, 'made'),
    row(`Homeport, ${connections} connections, shown again`, 'cached'),
  ])
}

/** Formats a number with about three significant digits. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)
}
