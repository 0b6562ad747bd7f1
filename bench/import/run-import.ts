import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import type { Cleanup } from '../cleanup.ts'
import { ADMIN_TOKEN } from '../contestants/homeport.ts'
import type { MessagingServer } from '../messaging/server.ts'
import { type Memory, watchMemory } from './memory.ts'
import type { Source } from './source.ts'

/** The cost of an import. */
export interface Imported {
  readonly seconds: number
  readonly perSecond: number
  readonly memory: Memory
  /** The load of the machine before the start. */
  readonly load: number
}

/** A running import. */
export interface Running {
  readonly isRunning: () => boolean
  /** @throws Error with its last output when records are missing */
  readonly done: Promise<Imported>
}

/** Starts `homeport import` as users do. */
export async function beginImport(
  root: string,
  server: MessagingServer,
  appId: string,
  source: Source,
  cleanup: Cleanup,
): Promise<Running> {
  const load = loadavg()[0]!
  const began = performance.now()
  const report = join(dirname(source.path), 'report')
  const child: ChildProcess = spawn(
    process.execPath,
    [
      join(root, 'dist/cli/main.js'),
      'import',
      '--app',
      appId,
      '--url',
      server.url,
      '--again',
      '--report',
      report,
      source.path,
    ],
    { env: { ...process.env, HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  cleanup.add(() => void child.kill('SIGKILL'))
  const memory = watchMemory({
    command: { pid: child.pid! },
    server: { pid: server.pid },
    database: { pid: await server.databaseProcess(), isFamily: true },
  })
  let words = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-2000)
    })
  const run = async (): Promise<Imported> => {
    const [code] = (await once(child, 'close')) as [number | null]
    const seconds = (performance.now() - began) / 1000
    const used = memory()
    if (code !== 0) throw new Error(`homeport import ended with ${code}:\n${words}`)
    return { seconds, perSecond: source.records / seconds, memory: used, load }
  }
  return { isRunning: () => child.exitCode === null && child.signalCode === null, done: run() }
}
