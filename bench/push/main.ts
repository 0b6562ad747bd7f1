import { cpus, totalmem } from 'node:os'
import type { Cleanup } from '../cleanup.ts'
import { runBenchmark } from '../run-benchmark.ts'
import { measureCrash } from './crash.ts'
import type { PushFigures } from './figures.ts'
import { measureMany, populatedServer } from './many.ts'
import { measureOnline } from './online.ts'
import { type PushOptions, readOptions } from './options.ts'
import { report } from './report.ts'

/**
 * Runs the benchmark of pushes and prints its figures; stops and removes everything at the end, also on Ctrl-C and on failure.
 * @param root the project folder, with a build in `dist`
 */
export async function benchPush(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: PushOptions, cleanup: Cleanup): Promise<PushFigures> {
  const { parts, provider, devices, connections } = options
  const populated = await cleanup.within(async (inner) => {
    if (!parts.has('many') && !parts.has('online')) return {}
    const server = await populatedServer(root, options, inner)
    const many = parts.has('many') ? await measureMany(server, options) : undefined
    const online = parts.has('online') ? await measureOnline(server, options, inner) : undefined
    return { ...(many && { many }), ...(online && { online }) }
  })
  const crash = parts.has('crash') ? await cleanup.within((inner) => measureCrash(root, options, inner)) : undefined
  return {
    date: new Date().toISOString(),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memory: totalmem(),
      node: process.version,
    },
    options: { provider, devices, connections },
    ...populated,
    ...(crash && { crash }),
  }
}
