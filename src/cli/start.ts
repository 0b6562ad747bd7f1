import { Command } from 'commander'
import type { EntryLink } from '../administrators/links.ts'
import type { AppRecord } from '../apps/apps.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import type { RunningServer } from '../server.ts'
import { boundGarbage } from './bound-garbage.ts'
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
    log.error({ error }, 'unhandled promise rejection')
  })
  // Begins when signals are listened to. Loaded here, because other commands would wait for it a second for nothing.
  const starting = import('../server.ts').then(({ startServer }) => startServer(config))
  stopOnSignals(starting)
  const server = await starting
  if (server.firstApp) introduce(server.firstApp, server.url)
  if (server.firstLink) invite(server.firstLink, config.publicUrl ?? server.url)
  process.stdout.write(`Homeport is ready at ${server.url}\n`)
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

/** Nobody administrates yet: who can read this is let in. */
function invite({ token }: EntryLink, url: string): void {
  process.stdout.write(`
The console, where everything is seen and done, lets you in once by this link (within 72 hours):

  ${url.replace(/\/+$/, '')}/console/enter#${token}

`)
}
