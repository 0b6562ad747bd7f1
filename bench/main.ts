import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { ALL_CASES, CLASSES, prepare, type Stage } from './cases.ts'
import type { Cleanup } from './cleanup.ts'
import { bare } from './contestants/bare.ts'
import type { Contestant } from './contestants/contestant.ts'
import { homeport } from './contestants/homeport.ts'
import { PARSE_SERVER_VERSION, parseServer } from './contestants/parse-server.ts'
import type { Figures } from './figures.ts'
import { LoadGenerator } from './load.ts'
import { measureLogins } from './logins.ts'
import { measureMemory } from './memory.ts'
import { type Options, type Part, readOptions } from './options.ts'
import { type Postgres, startPostgres, temporaryDirectory } from './postgres.ts'
import { report } from './report.ts'
import { type CaseFigures, inGroups, runGroup } from './rounds.ts'
import { runBenchmark } from './run-benchmark.ts'
import { measureSizes } from './size.ts'
import { measureStarts } from './start-time.ts'

/** The shared state of the parts of a run. */
interface Run {
  readonly root: string
  readonly options: Options
  readonly postgres: Postgres
  readonly load: LoadGenerator
}

/**
 * Runs the benchmark and prints its figures; stops and removes everything at the end, also on Ctrl-C and on failure.
 * @param root the project folder, with a build in `dist`
 */
export async function bench(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: Options, cleanup: Cleanup): Promise<Figures> {
  const load = new LoadGenerator()
  cleanup.add(() => load.stop())
  const postgres = await startPostgres(cleanup)
  const run: Run = { root, options, postgres, load }
  const part = async <Result>(name: Part, work: (inner: Cleanup) => Promise<Result>): Promise<Result | undefined> =>
    options.parts.has(name) ? cleanup.within(work) : undefined
  const cases = await part('cases', (inner) => measureCases(run, inner))
  const size = await part('size', async (inner) => measureSizes(await freshHomeport(run, 'size', inner), load, options))
  const start = await part('start', (inner) => measureStarts(root, inner))
  const memory = await part('memory', async (inner) =>
    measureMemory(await freshHomeport(run, 'memory', inner), load, options),
  )
  const logins = await part('logins', async (inner) =>
    measureLogins(await freshHomeport(run, 'logins', inner), load, options, inner),
  )
  return {
    date: new Date().toISOString(),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memory: totalmem(),
      node: process.version,
      postgres: postgres.version,
      parseServer: cases && options.peer ? PARSE_SERVER_VERSION : null,
    },
    options: { rounds: options.rounds, seconds: options.seconds, connections: options.connections },
    ...(cases && { cases }),
    ...(size && { size }),
    ...(start && { start }),
    ...(memory && { memory }),
    ...(logins && { logins }),
  }
}

async function measureCases(run: Run, cleanup: Cleanup): Promise<CaseFigures[]> {
  const { options, postgres, load } = run
  const contestants: Contestant[] = [
    await freshHomeport(run, 'homeport_cases', cleanup),
    await bare(await postgres.database('bare'), CLASSES, cleanup),
  ]
  if (options.before) {
    contestants.push(await freshHomeport({ ...run, root: options.before }, 'homeport_before', cleanup, 'before'))
  }
  if (options.peer) {
    const directory = await temporaryDirectory(cleanup)
    contestants.push(await parseServer(directory, await postgres.database('parse'), cleanup))
  }
  const stages = new Map<Contestant, Stage>()
  for (const contestant of contestants) {
    process.stderr.write(`filling ${contestant.name}\n`)
    stages.set(contestant, await prepare(contestant, load))
  }
  const figures: CaseFigures[] = []
  const wanted = ALL_CASES.filter(({ name }) => options.cases.includes(name))
  for (const group of inGroups(wanted)) figures.push(...(await runGroup(group, stages, load, options)))
  return figures
}

/** Starts a new Homeport on a new database. */
async function freshHomeport({ root, postgres }: Run, database: string, cleanup: Cleanup, name?: 'before') {
  const data = join(await temporaryDirectory(cleanup), 'data')
  return homeport(root, data, await postgres.database(database), cleanup, name)
}
