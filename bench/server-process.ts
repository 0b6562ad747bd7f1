import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server in a separate process. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Returns the exit code or signal; null while it runs. */
  readonly end: () => number | string | null
  stop(): Promise<void>
}

export interface ServerCommand {
  /** Arguments of node. */
  readonly args: readonly string[]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** The output of a ready server; the first group is its URL. */
  readonly ready: RegExp
}

/** Timeout of a server's start and stop, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Starts a server; resolves when it accepts requests.
 * @throws Error with its last output when it exits before that
 */
export async function startServer({ args, directory, environment, ready }: ServerCommand): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...ownEnvironment(), NODE_ENV: 'production', HOMEPORT_ALLOW_PRIVATE_ADDRESSES: 'loopback', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192)
      const found = ready.exec(output)
      if (found) resolve(found[1]!)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${args[0]} ended with ${code ?? signal}:\n${output}`)))
    setTimeout(
      () => reject(new Error(`${args[0]} is not ready after ${TIMEOUT_MS} ms:\n${output}`)),
      TIMEOUT_MS,
    ).unref()
  }).catch(async (error: unknown) => {
    await end(child)
    throw error
  })
  return {
    url: url.replace('localhost', '127.0.0.1'),
    pid: child.pid!,
    end: () => child.exitCode ?? child.signalCode,
    stop: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = new AbortController()
  await Promise.race([ended, sleep(TIMEOUT_MS, null, { signal: late.signal, ref: false }).catch(() => {})])
  late.abort()
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await ended
}

/** Returns the environment without variables that would configure a server. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(HOMEPORT_|PARSE_SERVER_|PG|NODE_OPTIONS$|npm_)/.test(name)),
  )
}
