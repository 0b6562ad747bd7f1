import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import type { RunningServer } from '../server.ts'
import { addOptions } from './options.ts'
import { boundGarbage } from './start/bound-garbage.ts'
import { firstAppText, firstLinkText } from './start/first-start-texts.ts'
import { checkNpmFlags } from './start/npm-flags.ts'
import { followSupervisor } from './start/supervised.ts'

/** `homeport start` runs the server until SIGTERM or SIGINT. */
export function startCommand(): Command {
  checkNpmFlags(process.env)
  const command = new Command('start').description('Run the server.')
  return addOptions(command).action((flags: Record<string, unknown>) => start(flags))
}

async function start(flags: Record<string, unknown>): Promise<void> {
  // Otherwise Node creates two warning functions with each HTTP/2 request, which take a tenth of the time of a push over APNs.
  process.noDeprecation = true
  const supervision = followSupervisor()
  boundGarbage()
  const config = readConfig(flags, process.env)
  const log = createLog(config.logLevel)
  const { restartedAfter } = supervision
  if (restartedAfter !== null) log.warn({ reason: restartedAfter }, 'server ended unexpectedly, restarted')
  // An unhandled rejection must not end the server, because it serves other requests.
  process.on('unhandledRejection', (error) => {
    log.error({ error }, 'unhandled promise rejection')
  })
  // The import starts in parallel with the signal handlers. It is dynamic, because other commands would wait a second for it.
  const starting = import('../server.ts').then(({ startServer }) => startServer(config))
  stopOnSignals(starting)
  const server = await starting
  if (server.firstApp) process.stdout.write(firstAppText(server.firstApp, server.url))
  if (server.firstLink) process.stdout.write(firstLinkText(server.firstLink, config.publicUrl ?? server.url))
  supervision.reportReady()
  process.stdout.write(`Homeport is ready at ${server.url}\n`)
}

/**
 * Stops the server on a signal. A second signal ends the grace period. A signal during the start takes effect after it, so that
 * nothing is left half done.
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
    // A failed start reports its own error.
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
