import { integer, section } from '../messaging/table.ts'
import { median } from '../statistics.ts'
import { importBars } from './bars.ts'
import { type ImportFigures, memoryOf, type NeighbourFigure, type RecordFigure, rateOf, shareOf } from './figures.ts'

/** Formats the figures as text. */
export function report(figures: ImportFigures): string {
  const { machine, options, records, neighbour } = figures
  const sections = [
    `Homeport import, ${options.rounds} rounds${options.packed ? ', packed' : ''}, ${figures.date}\n` +
      `${machine.processors} x ${machine.model}, Node ${machine.node}`,
  ]
  if (records.length > 0) sections.push(recordSection(records))
  if (neighbour) sections.push(neighbourSection(neighbour))
  const bars = importBars(figures).map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
  if (bars.length > 0) sections.push(section('Bars', [['promise', 'measured', ''], ...bars]))
  return `${sections.join('\n\n')}\n`
}

function recordSection(records: readonly RecordFigure[]): string {
  const lines = records.map((figure) => {
    const memory = memoryOf(figure)
    return [
      figure.name,
      integer(figure.records),
      integer(figure.unpacked / figure.records),
      integer(rateOf(figure)),
      integer(median(figure.rounds.map(({ copied }) => copied))),
      shareOf(figure).toFixed(2),
      ...['command', 'server', 'database'].map((name) => integer(memory[name]! / 1_000_000)),
      median(figure.rounds.map(({ imported }) => imported.load)).toFixed(1),
    ]
  })
  const memory = ['command MB', 'server MB', 'database MB, what is shared left out']
  const heading = ['', 'records', 'bytes each', 'a second', 'by COPY', 'share', ...memory, 'load before']
  return section('Imports', [heading, ...lines])
}

function neighbourSection({ without, during }: NeighbourFigure): string {
  const line = (title: string, rounds: NeighbourFigure['without']) => [
    title,
    ...(['p50', 'p99'] as const).map((figure) => median(rounds.map((round) => round[figure])).toFixed(1)),
  ]
  const imported = integer(median(during.map(({ perSecond }) => perSecond)))
  const lines = [
    [...line('without an import', without), ''],
    [...line('during one', during), imported],
  ]
  return section('A query of another app, milliseconds', [['', 'p50', 'p99', 'imported a second'], ...lines])
}
