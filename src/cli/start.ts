import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import type { AppRecord } from '../apps/apps.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { type RunningServer, startServer } from '../server.ts'
import { addOptions } from './options.ts'

/** `homeport start` — runs the server until SIGTERM or SIGINT. */
export function startCommand(): Command {
  const command = new Command('start').description('Run the server.')
  return addOptions(command).action((flags: Record<string, unknown>) => start(flags))
}

async function start(flags: Record<string, unknown>): Promise<void> {
  // Node makes two functions that would warn with every HTTP/2 request: a tenth of what a push over APNs costs.
  process.noDeprecation = true
  boundGarbage()
  const config = readConfig(flags, process.env)
  const log = createLog(config.logLevel)
  // A fault in what nobody waits for must not end what everybody else is served.
  process.on('unhandledRejection', (error) => {
    log.error({ error }, 'a promise was rejected and nobody had been waiting for it')
  })
  // Begins when signals are listened to.
  const starting = Promise.resolve().then(() => startServer(config))
  stopOnSignals(starting)
  const server = await starting
  if (server.firstApp) introduce(server.firstApp, server.url)
  process.stdout.write(`Homeport is ready at ${server.url}\n`)
}

/** About how many bytes of garbage the heap may hold. */
const GARBAGE = 192 * 1024 * 1024
/** Milliseconds between two looks at the heap. */
const LOOK = 50

/**
 * Lets the heap have about as much garbage whatever is in use besides. By itself V8 lets it become up to four times as
 * much, which is what one client could make this process hold; and a share that is small enough for a large heap has a
 * small one collected without need, for a tenth of what a get costs. V8 applies the share when it has collected, and
 * how much of the heap is in use then is not known before: at most what it holds.
 */
function boundGarbage(): void {
  let share = 0
  setInterval(() => {
    const wanted = Math.min(400, Math.max(30, Math.round((100 * GARBAGE) / getHeapStatistics().used_heap_size)))
    if (Math.abs(wanted - share) < share / 10) return
    share = wanted
    setFlagsFromString(`--heap-growing-percent=${share}`)
  }, LOOK).unref()
}

/**
 * A second signal ends the time for which a stopping server still serves. A signal that comes while the server starts stops it once it has started: so nothing is left half done.
 */
function stopOnSignals(starting: Promise<RunningServer>): void {
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) {
      const server = await starting.catch(() => null)
      void server?.stop().catch(() => {})
      return
    }
    stopping = true
    process.stdout.write(`${signal}: stopping\n`)
    // A start that fails reports it by itself.
    const server = await starting.catch(() => null)
    try {
      await server?.stop()
      if (server) process.exit(0)
    } catch (error) {
      process.stderr.write(`homeport: ${(error as Error).message}\n`)
      process.exit(1)
    }
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function introduce(app: AppRecord, url: string): void {
  process.stdout.write(`
This is the first start. An app has been made:

  App ID      ${app.id}
  App key     ${app.appKey}
  Master key  ${app.masterKey}   (full power: keep it out of clients)

Try it:

  curl -X POST -H 'X-LC-Id: ${app.id}' -H 'X-LC-Key: ${app.appKey}' \\
    -H 'Content-Type: application/json' -d '{"title":"Hello"}' ${url}/1.1/classes/Post

`)
}
