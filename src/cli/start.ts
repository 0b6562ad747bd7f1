import { Command } from 'commander'
import type { EntryLink } from '../administrators/links.ts'
import type { AppRecord } from '../apps/apps.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import type { RunningServer } from '../server.ts'
import { boundGarbage } from './bound-garbage.ts'
import { addOptions } from './options.ts'

/** `homeport start` runs the server until SIGTERM or SIGINT. */
export function startCommand(): Command {
  const command = new Command('start').description('Run the server.')
  return addOptions(command).action((flags: Record<string, unknown>) => start(flags))
}

async function start(flags: Record<string, unknown>): Promise<void> {
  // Otherwise Node creates two warning functions with each HTTP/2 request, which take a tenth of the time of a push over APNs.
  process.noDeprecation = true
  boundGarbage()
  const config = readConfig(flags, process.env)
  const log = createLog(config.logLevel)
  // An unhandled rejection must not end the server, because it serves other requests.
  process.on('unhandledRejection', (error) => {
    log.error({ error }, 'unhandled promise rejection')
  })
  // The import starts in parallel with the signal handlers. It is dynamic, because other commands would wait a second for it.
  const starting = import('../server.ts').then(({ startServer }) => startServer(config))
  stopOnSignals(starting)
  const server = await starting
  if (server.firstApp) introduce(server.firstApp, server.url)
  if (server.firstLink) invite(server.firstLink, config.publicUrl ?? server.url)
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

function introduce(app: AppRecord, url: string): void {
  process.stdout.write(`
First start: an app was created.

  App ID      ${app.id}
  App key     ${app.appKey}
  Master key  ${app.masterKey}   (bypasses all permissions: never put it into a client)

Try it:

  curl -X POST -H 'X-LC-Id: ${app.id}' -H 'X-LC-Key: ${app.appKey}' \\
    -H 'Content-Type: application/json' -d '{"title":"Hello"}' ${url}/1.1/classes/Post

`)
}

/** Prints the entry link when there are no administrators yet. Only the operator can read this output. */
function invite({ token }: EntryLink, url: string): void {
  process.stdout.write(`
Open the console with this link. It works once, within 72 hours:

  ${url.replace(/\/+$/, '')}/console/enter#${token}

`)
}
