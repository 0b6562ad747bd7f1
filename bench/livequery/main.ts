import { cpus } from 'node:os'
import type { Cleanup } from '../cleanup.ts'
import { startMessaging } from '../messaging/server.ts'
import type { Measurement } from '../rounds.ts'
import { runBenchmark } from '../run-benchmark.ts'
import { addOthers, gatherAudience } from './audience.ts'
import { type LiveQueryOptions, readOptions } from './options.ts'
import { type LiveQueryFigures, report } from './report.ts'
import { measureWrites } from './writes.ts'

/**
 * Runs the benchmark of live queries and prints its figures; stops and removes everything at the end, also on Ctrl-C and on
 * failure.
 * @param root the project folder, with a build in `dist`
 */
export async function benchLiveQueries(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: LiveQueryOptions, cleanup: Cleanup): Promise<LiveQueryFigures> {
  const { rounds, subscriptions, matching, writers } = options
  const server = await startMessaging(root, false, cleanup)
  process.stderr.write(`${subscriptions} subscriptions are made\n`)
  const many = await gatherAudience(server, 'Many', matching)
  const few = await gatherAudience(server, 'Few', matching)
  cleanup.add(() => {
    for (const { socket } of [...many.listeners, ...few.listeners]) socket.end()
  })
  await addOthers(many, server, subscriptions - matching)
  const apart = { className: 'Apart', listeners: [] }
  await addOthers(apart, server, matching)
  const audiences = { many, few, apart, none: { className: 'None', listeners: [] } }
  const measured = {
    many: [] as Measurement[],
    few: [] as Measurement[],
    apart: [] as Measurement[],
    none: [] as Measurement[],
  }
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? 'warm-up\n' : `round ${round} of ${rounds}\n`)
    for (const name of ['many', 'few', 'apart', 'none'] as const) {
      const figures = await measureWrites(server, audiences[name], options)
      // Round 0 warms up.
      if (round > 0) measured[name].push(figures)
    }
  }
  const machine = { processors: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version }
  return { date: new Date().toISOString(), machine, subscriptions, matching, writers, ...measured }
}
