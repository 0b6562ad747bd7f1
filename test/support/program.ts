import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { countCost } from './cost-counts.ts'

/** A `homeport start` in a separate process. */
export interface Program {
  readonly url: string
  readonly process: ChildProcess
  /** Returns the output so far, both streams. */
  output(): string
  /** Sends SIGTERM; resolves with the exit code once all output has arrived. */
  stop(): Promise<number | null>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
}

/**
 * Providers, engines and sources of moves are stand-ins on this machine. Without a supervisor, the process that a test starts is
 * the server, so that a test that kills it ends the server.
 */
const DEFAULTS = { HOMEPORT_ALLOW_PRIVATE_ADDRESSES: 'loopback', HOMEPORT_SUPERVISE: 'off' }

/** A copy compiled to another directory sets the path of the program. */
export const MAIN =
  process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
/** Makes password hashes cheap in a server. */
const CHEAP_PASSWORDS = fileURLToPath(new URL('cheap-passwords.cjs', import.meta.url))
const READY = /Homeport is ready at (\S+)\n/

/** Starts the built program on a free port with cheap password hashes, and waits for its ready line. */
export function startProgram(options: readonly string[], environment: Record<string, string> = {}): Promise<Program> {
  const settings = { HOMEPORT_LOG_LEVEL: 'warn', HOMEPORT_SHUTDOWN_DELAY: '0', ...environment }
  const args = ['start', '--port', '0', '--host', '127.0.0.1', ...options]
  return launch(['--require', CHEAP_PASSWORDS, MAIN, ...args], settings)
}

/**
 * Starts the program with exactly these arguments in the working directory `directory`, and waits for its ready line.
 * @throws Error with all its output when it exits before
 */
export function launchProgram(
  args: readonly string[],
  environment: Record<string, string> = {},
  directory?: string,
): Promise<Program> {
  return launch([MAIN, ...args], environment, directory)
}

/** @param args arguments of Node */
async function launch(
  args: readonly string[],
  environment: Record<string, string>,
  directory?: string,
): Promise<Program> {
  countCost('servers')
  const child = spawn(process.execPath, args, {
    env: { ...DEFAULTS, ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(directory && { cwd: directory }),
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const ready = READY.exec(output)
      if (ready) resolve(ready[1]!)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    // The last output can arrive after the exit, but before this event.
    child.once('close', (code) => reject(new Error(`homeport ended with ${code} before it was ready:\n${output}`)))
  })
  const ended = once(child, 'close')
  return {
    url,
    process: child,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await ended
      return code as number | null
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The maximum duration of a command in milliseconds; longer ones are killed. */
const LONGEST_RUN = 100_000

/**
 * Runs a command of the program and waits until it exits.
 * @param timeoutMs timeout in milliseconds
 */
export async function runProgram(
  args: readonly string[],
  environment: Record<string, string> = {},
  directory?: string,
  timeoutMs = LONGEST_RUN,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    ...(directory && { cwd: directory }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
