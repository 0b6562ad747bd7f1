import { existsSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { Command } from 'commander'
import { useDevEngine } from './engine/dev-engine.ts'
import { runEngine } from './engine/engine-process.ts'
import { engineVariables } from './engine/engine-variables.ts'
import { appPath, chooseApp, connect, type ServerFlags, withServerFlags } from './management.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly port: string
  readonly engineUrl?: string
  readonly production?: boolean
}

/** `homeport engine …` runs the cloud code of an app on this machine. */
export function engineCommand(): Command {
  const engine = new Command('engine').description('Run the cloud code of an app on this machine.')
  withServerFlags(
    engine
      .command('dev [command...]')
      .description(
        'Run cloud code on this machine during development, for example: homeport engine dev -- node server.js',
      ),
  )
    .option('--app <appId>', 'app of the cloud code (default: the only app)')
    .option('--port <port>', 'port that the code listens on', '3001')
    .option('--engine-url <url>', 'URL at which the server reaches the code (default http://localhost:<port>)')
    .option('--production', 'also replace the production engine, if the app has one')
    .action(dev)
  return engine
}

async function dev(command: string[], flags: Flags): Promise<void> {
  const port = portOf(flags.port)
  const words = command.length > 0 ? command : usualCommand()
  const management = connect(flags)
  const app = await chooseApp(management, flags.app)
  if (await isTaken(port)) throw new Error(`port ${port} is already in use; choose another one with --port`)
  say(`running ${words.join(' ')} for ${app.name} (${app.appId})`)
  const engine = runEngine(words, engineVariables(app, management.url, port, process.env))
  const stop = () => void engine.stop()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  try {
    await engine.healthy(`http://localhost:${port}`)
    const url = (flags.engineUrl ?? `http://localhost:${port}`).replace(/\/+$/, '')
    const devEngine = await useDevEngine(management, app.appId, url, flags.production ?? false)
    const served = `${devEngine.environments.join(' and ')} of ${app.name}`
    try {
      await management.request('POST', `${appPath(app.appId)}/engine/refresh`)
      say(`ready: ${url} serves ${served} until you press Ctrl-C`)
      process.exitCode = await engine.ended
    } finally {
      await devEngine.end()
      say(`${served}: previous engine settings restored`)
    }
  } finally {
    await engine.stop()
  }
}

function say(text: string): void {
  process.stdout.write(`homeport: ${text}\n`)
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new Error('--port must be a number from 1 to 65535')
  return port
}

/** Returns the usual start command of a project in the working directory. */
function usualCommand(): string[] {
  if (hasStartScript()) return ['npm', 'start']
  if (existsSync('server.js')) return ['node', 'server.js']
  throw new Error(
    'no start script in package.json and no server.js in this directory; give the command to run: homeport engine dev -- <command>',
  )
}

function hasStartScript(): boolean {
  try {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts?: { start?: unknown } }
    return typeof scripts?.start === 'string'
  } catch {
    return false
  }
}

/** Returns whether another process listens on the port. It would be mistaken for the engine. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection({ port, host: 'localhost' })
    connection.once('connect', () => {
      connection.destroy()
      resolve(true)
    })
    connection.once('error', () => resolve(false))
  })
}
