import { cpus, totalmem } from 'node:os'
import type { Cleanup } from '../cleanup.ts'
import { runBenchmark } from '../run-benchmark.ts'
import { measureConnections } from './connections.ts'
import type { MessagingFigures } from './figures.ts'
import { measureHistory } from './history.ts'
import { measureStorm } from './logins.ts'
import { type MessagingOptions, type Part, readOptions } from './options.ts'
import { measurePairs } from './pairs.ts'
import { report } from './report.ts'
import { measureRooms } from './rooms.ts'
import { type MessagingServer, startMessaging } from './server.ts'

/**
 * Runs the benchmark of messaging and prints its figures; stops and removes everything at the end, also on Ctrl-C and on
 * failure.
 * @param root the project folder, with a build in `dist`
 */
export async function benchMessaging(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

/** Measures one part on a server. */
type Measure<Result> = (server: MessagingServer, options: MessagingOptions, cleanup: Cleanup) => Promise<Result>

async function measure(root: string, options: MessagingOptions, cleanup: Cleanup): Promise<MessagingFigures> {
  const part = <Result>(name: Part, work: Measure<Result>): Promise<Result> | undefined => {
    if (!options.parts.has(name)) return undefined
    return cleanup.within(async (inner) => {
      const server = await startMessaging(root, options.sharedDatabase, inner)
      return work(server, options, inner)
    })
  }
  const rooms = await part('rooms', measureRooms)
  const pairs = await part('pairs', measurePairs)
  const connections = await part('connections', measureConnections)
  const history = await part('history', measureHistory)
  const logins = await part('logins', measureStorm)
  const { rounds, seconds, sharedDatabase } = options
  return {
    date: new Date().toISOString(),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memory: totalmem(),
      node: process.version,
    },
    options: { rounds, seconds, sharedDatabase },
    ...(rooms && { rooms }),
    ...(pairs && { pairs }),
    ...(connections && { connections }),
    ...(history && { history }),
    ...(logins && { logins }),
  }
}
