import { writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { Cleanup } from '../cleanup.ts'
import { measureConnections } from './connections.ts'
import type { MessagingFigures } from './figures.ts'
import { measureHistory } from './history.ts'
import { type MessagingOptions, type Part, readOptions } from './options.ts'
import { measurePairs } from './pairs.ts'
import { report } from './report.ts'
import { measureRooms } from './rooms.ts'
import { type MessagingServer, startMessaging } from './server.ts'

/**
 * Runs the benchmark of messaging and prints what it measured; everything that it started is stopped and removed at the
 * end, also on Ctrl-C and on failure. `root`: the folder of the project, with a build in `dist`.
 */
export async function benchMessaging(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  const cleanup = new Cleanup()
  let interrupted = false
  const interrupt = (signal: NodeJS.Signals) => {
    if (!interrupted) process.stderr.write(`${signal}: stopping\n`)
    interrupted = true
    void cleanup.run().then(() => process.exit(130))
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    const figures = await measure(root, options, cleanup)
    if (options.json) await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`)
    process.stdout.write(report(figures))
  } catch (error) {
    // After Ctrl-C things fail because they are being stopped.
    if (!interrupted) process.stderr.write(`bench: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
  await cleanup.run()
  if (!interrupted) process.exit()
}

/** Measures something of a server. */
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
  }
}
