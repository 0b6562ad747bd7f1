import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestApp } from './app.ts'
import { freePort } from './free-port.ts'

/** The runtime of cloud code: a program whose last argument is the code file, named `file`. */
interface Runtime {
  readonly program: string
  readonly args: readonly string[]
  readonly file: string
}

const NODE: Runtime = {
  program: process.execPath,
  args: [fileURLToPath(new URL('./cloud-code/main.cjs', import.meta.url))],
  file: 'cloud.cjs',
}
/** Timeout of an engine start and interval of polling, in milliseconds. */
const TIMEOUT_MS = 30_000
const PAUSE = 50

export interface EngineOptions {
  /** The engine of the app to register as; null registers none. Defaults to production. */
  readonly environment?: 'production' | 'staging' | null
  /** Whether it starts immediately; otherwise `start` starts it. */
  readonly started?: boolean
  /** Defaults to the unmodified `leanengine` for Node. */
  readonly runtime?: Runtime
  /** Additional environment variables for the code. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The cloud code of an app, run by an unmodified official SDK in a separate process. */
export interface EngineProcess {
  readonly url: string
  /** Returns the output of all runs so far, both streams. */
  output(): string
  /**
   * Returns the content of the file `NOTES` written by the code in all runs; notes are written before a response leaves the
   * engine.
   */
  notes(): string
  /** Starts or restarts it on the same port, and waits until it is healthy. New code replaces the previous code. */
  start(code?: string): Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
}

/**
 * Starts cloud code for an app of a test, and registers it as the app's engine.
 * @param code CommonJS in which `AV` is the SDK, or the source for another runtime
 * @param atEnd vitest's `afterAll` or `onTestFinished`, which stops the process
 * @throws Error with all its output when it does not become healthy
 */
export async function startEngine(
  app: TestApp,
  code: string,
  atEnd: (end: () => Promise<void>) => void,
  { environment = 'production', started = true, runtime = NODE, variables = {} }: EngineOptions = {},
): Promise<EngineProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-cloud-code-'))
  const file = join(directory, runtime.file)
  await writeFile(file, code)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const notes = join(directory, 'notes')
  const settings = { ...(await variablesOf(app, port, environment !== 'staging')), NOTES: notes, ...variables }
  let child: ChildProcess | undefined
  let output = ''
  const engine: EngineProcess = {
    url,
    output: () => output,
    notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : ''),
    async start(other) {
      if (other !== undefined) await writeFile(file, other)
      await engine.kill()
      const run = spawn(runtime.program, [...runtime.args, file], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
      child = run
      for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      await untilHealthy(url, run, () => output)
    },
    async kill() {
      const run = child
      child = undefined
      if (!run || run.exitCode !== null || run.signalCode !== null) return
      run.kill('SIGKILL')
      await once(run, 'exit')
    },
  }
  atEnd(async () => {
    await engine.kill()
    await rm(directory, { recursive: true, force: true })
  })
  if (started) await engine.start()
  if (environment) await useEngine(app, { [environment]: url })
  return engine
}

/** Sets the URLs of an app's engines; null removes one. */
export async function useEngine(
  app: TestApp,
  engine: { readonly production?: string | null; readonly staging?: string | null },
): Promise<void> {
  const { status, body } = await app.admin('PATCH', '/settings', { engine })
  if (status !== 200) throw new Error(`the engine could not be set: ${JSON.stringify(body)}`)
}

/** Returns the environment of an engine (protocol/cloud-code, Environment variables read by the SDKs). */
async function variablesOf(app: TestApp, port: number, production: boolean): Promise<NodeJS.ProcessEnv> {
  const { body } = await app.admin('GET', '')
  return {
    PATH: process.env.PATH,
    LEANCLOUD_APP_ID: app.appId,
    LEANCLOUD_APP_KEY: app.appKey,
    LEANCLOUD_APP_MASTER_KEY: app.masterKey,
    LEANCLOUD_APP_HOOK_KEY: body.hookKey,
    LEANCLOUD_API_SERVER: app.url,
    LEANCLOUD_APP_PORT: String(port),
    LEANCLOUD_APP_ENV: production ? 'production' : 'stage',
    NODE_ENV: production ? 'production' : 'stage',
  }
}

async function untilHealthy(url: string, run: ChildProcess, output: () => string): Promise<void> {
  for (const until = performance.now() + TIMEOUT_MS; performance.now() < until; ) {
    const answer = await fetch(`${url}/__engine/1/ping`).catch(() => null)
    if (answer?.status === 200) return
    if (run.exitCode !== null) break
    await sleep(PAUSE)
  }
  throw new Error(`the engine did not become healthy:\n${output()}`)
}
