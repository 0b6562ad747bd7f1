import { failures, faultsOf, type Outcome, p99 } from './verdict.ts'

export interface AttackFigures {
  readonly date: string
  readonly machine: { readonly processors: number; readonly model: string; readonly node: string }
  readonly seconds: number
  readonly objects: number
  readonly outcomes: readonly Outcome[]
}

const HEAD = [
  'Attack',
  'reads without',
  'under',
  'ratio',
  'messages',
  'logins',
  'failed',
  'server MB',
  'database MB',
  'lives',
  'verdict',
]

/** Formats the table as Markdown; times are the 99th percentile of honest clients in milliseconds. */
export function report({ machine, outcomes }: AttackFigures): string {
  const rows = [HEAD, HEAD.map((_, n) => (n === 0 || n > 8 ? '---' : '--:')), ...outcomes.map(rowOf)]
  const missed = outcomes.filter((outcome) => faultsOf(outcome).length > 0)
  return `${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

${machine.processors} × ${machine.model}, Node ${machine.node}. ${outcomes.length - missed.length} of ${outcomes.length} held.
`
}

export function rowOf(outcome: Outcome): readonly string[] {
  const { name, before, during, usage, end } = outcome
  const [without, under] = [p99(before), p99(during)]
  const faults = faultsOf(outcome)
  return [
    name,
    milliseconds(without),
    milliseconds(under),
    (under / without).toFixed(1),
    milliseconds(p99(during, ['chat'])),
    milliseconds(p99(during, ['login'])),
    String(failures(during)),
    megabytes(usage.server),
    megabytes(usage.database),
    end === null ? 'yes' : 'no',
    faults.length === 0 ? 'held' : faults.join(', '),
  ]
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}

function megabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0)
}
