import { cpus, loadavg, totalmem } from 'node:os'
import type { Cleanup } from '../cleanup.ts'
import { section } from '../messaging/table.ts'
import { runBenchmark } from '../run-benchmark.ts'
import { measureLeaderboards } from './leaderboards.ts'
import { PARTS, type PartName, readOptions, type SocialOptions } from './options.ts'
import type { Part, PartReport } from './part.ts'
import { measureSearch } from './search.ts'
import { measureStatuses } from './statuses.ts'

const MEASURES: { readonly [name in PartName]: Part } = {
  statuses: measureStatuses,
  leaderboards: measureLeaderboards,
  search: measureSearch,
}

interface SocialFigures {
  readonly date: string
  readonly machine: {
    readonly processors: number
    readonly model: string
    readonly memory: number
    readonly node: string
    /** The load of the machine before the start. */
    readonly load: number
  }
  readonly parts: Readonly<Partial<Record<PartName, PartReport>>>
}

/**
 * Runs the benchmark of the social parts and prints its figures; stops and removes everything at the end, also on Ctrl-C and on
 * failure. The exit code is 1 when a target is missed.
 * @param root the project folder, with a build in `dist`
 */
export async function benchSocial(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: SocialOptions, cleanup: Cleanup): Promise<SocialFigures> {
  const machine = {
    processors: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memory: totalmem(),
    node: process.version,
    load: loadavg()[0]!,
  }
  const parts: Partial<Record<PartName, PartReport>> = {}
  for (const name of PARTS) {
    if (!options.parts.has(name)) continue
    process.stderr.write(`${name}\n`)
    parts[name] = await cleanup.within((inner) => MEASURES[name]({ root, options, cleanup: inner }))
  }
  // For callers that check the exit code.
  if (Object.values(parts).some(({ bars }) => bars.some(({ kept }) => !kept))) process.exitCode = 1
  return { date: new Date().toISOString(), machine, parts }
}

/** Formats the figures as text. */
function report({ date, machine, parts }: SocialFigures): string {
  const done = Object.values(parts)
  const bars = done.flatMap((part) => part.bars)
  const lines = bars.map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
  return `${[
    `Homeport social, ${date}\n` +
      `${machine.processors} x ${machine.model}, Node ${machine.node}, load before ${machine.load.toFixed(1)}`,
    ...done.flatMap((part) => part.sections),
    ...(bars.length > 0 ? [section('Bars', [['promise', 'measured', ''], ...lines])] : []),
  ].join('\n\n')}\n`
}
