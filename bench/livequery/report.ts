import { section, whole } from '../messaging/table.ts'
import { type Measurement, processorOf, typical } from '../rounds.ts'
import { median } from '../statistics.ts'

/** All that a run has measured; what `--json` writes. */
export interface LiveQueryFigures {
  readonly date: string
  readonly machine: { readonly processors: number; readonly model: string; readonly node: string }
  readonly subscriptions: number
  readonly matching: number
  readonly writers: number
  /** Rounds of the same number ran one after the other. */
  readonly many: readonly Measurement[]
  readonly few: readonly Measurement[]
  readonly apart: readonly Measurement[]
  readonly none: readonly Measurement[]
}

/** At most so much of the processor time of the class with few may a write to the class with many take. */
const BAR = 1.5

/** The figures for a person to read. */
export function report(figures: LiveQueryFigures): string {
  const { machine, date, subscriptions, matching, writers, many, few, apart, none } = figures
  const heading = `Homeport live queries, ${date}\n${machine.processors} x ${machine.model}, Node ${machine.node}; ${writers} writes under way`
  const lines = [
    [`${whole(subscriptions)} live queries, ${matching} concerned`, ...cells(many)],
    [`${matching} live queries, all concerned`, ...cells(few)],
    [`${matching} live queries, none concerned`, ...cells(apart)],
    ['no live queries', ...cells(none)],
  ]
  const columns = ['', 'writes/s', 'p50 ms', 'p99 ms', 'µs/write']
  const ratio = costRatio(many, few)
  const promise = `${whole(subscriptions)} live queries: processor time of a write at most ${BAR} of that with ${matching}`
  const bar = ratio === null ? [] : [[promise, ratio.toFixed(2), ratio <= BAR ? 'kept' : 'MISSED']]
  const bars = section('Bars', [['promise', 'measured', ''], ...bar])
  return `${[heading, section('Creates', [columns, ...lines]), bars].join('\n\n')}\n`
}

function cells(rounds: readonly Measurement[]): string[] {
  return [
    whole(typical(rounds, 'perSecond')),
    typical(rounds, 'p50').toFixed(1),
    typical(rounds, 'p99').toFixed(1),
    processorOf(rounds)?.toFixed(0) ?? '?',
  ]
}

/** Taken in each round: what else the machine does concerns both. */
function costRatio(left: readonly Measurement[], right: readonly Measurement[]): number | null {
  const ratios = left.flatMap(({ processor }, round) => {
    const other = right[round]!.processor
    return processor === null || other === null ? [] : [processor / other]
  })
  return ratios.length === 0 ? null : median(ratios)
}
