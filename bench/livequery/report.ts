import { integer, section } from '../messaging/table.ts'
import { type Measurement, processorOf, typical } from '../rounds.ts'
import { median } from '../statistics.ts'

/** All figures of a run, as written by `--json`. */
export interface LiveQueryFigures {
  readonly date: string
  readonly machine: { readonly processors: number; readonly model: string; readonly node: string }
  readonly subscriptions: number
  readonly matching: number
  readonly writers: number
  /** Rounds with the same index ran one after the other. */
  readonly many: readonly Measurement[]
  readonly few: readonly Measurement[]
  readonly apart: readonly Measurement[]
  readonly none: readonly Measurement[]
}

/** Maximum CPU time of a write to the class with many subscriptions, relative to the class with few. */
const BAR = 1.5

/** Formats the figures as text. */
export function report(figures: LiveQueryFigures): string {
  const { machine, date, subscriptions, matching, writers, many, few, apart, none } = figures
  const heading = `Homeport live queries, ${date}\n${machine.processors} x ${machine.model}, Node ${machine.node}; ${writers} writes under way`
  const lines = [
    [`${integer(subscriptions)} live queries, ${matching} concerned`, ...cells(many)],
    [`${matching} live queries, all concerned`, ...cells(few)],
    [`${matching} live queries, none concerned`, ...cells(apart)],
    ['no live queries', ...cells(none)],
  ]
  const columns = ['', 'writes/s', 'p50 ms', 'p99 ms', 'µs/write']
  const ratio = costRatio(many, few)
  const promise = `${integer(subscriptions)} live queries: processor time of a write at most ${BAR} of that with ${matching}`
  const bar = ratio === null ? [] : [[promise, ratio.toFixed(2), ratio <= BAR ? 'kept' : 'MISSED']]
  const bars = section('Bars', [['promise', 'measured', ''], ...bar])
  return `${[heading, section('Creates', [columns, ...lines]), bars].join('\n\n')}\n`
}

function cells(rounds: readonly Measurement[]): string[] {
  return [
    integer(typical(rounds, 'perSecond')),
    typical(rounds, 'p50').toFixed(1),
    typical(rounds, 'p99').toFixed(1),
    processorOf(rounds)?.toFixed(0) ?? '?',
  ]
}

/** Returns the median ratio of CPU times per round, so that other load on the machine affects both. */
function costRatio(left: readonly Measurement[], right: readonly Measurement[]): number | null {
  const ratios = left.flatMap(({ processor }, round) => {
    const other = right[round]!.processor
    return processor === null || other === null ? [] : [processor / other]
  })
  return ratios.length === 0 ? null : median(ratios)
}
