import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../../http-client/exchange.ts'

/** A running engine. */
export interface EngineProcess {
  /** Resolves with its exit code; with 0 when it was stopped. */
  readonly ended: Promise<number>
  /** Waits until it responds at its base URL. @throws Error when it ends before, or takes too long */
  healthy(url: string): Promise<void>
  /** Stops it and all processes that it started. */
  stop(): Promise<void>
}

/** Maximum milliseconds for an engine to start (protocol/cloud-code, Health check), and to stop. */
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5000
const PAUSE = 200
const PING_TIMEOUT_MS = 2000

/** Starts a command. Its output is written to the streams of this process. */
export function runEngine([program = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv): EngineProcess {
  const onWindows = process.platform === 'win32'
  const child = spawn(program, args, {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    // In its own process group, because npm and similar tools do not forward signals to their child processes.
    detached: !onWindows,
    shell: onWindows,
  })
  let stopping = false
  // Rejects when the program cannot be started.
  const ended = once(child, 'exit').then(
    ([code]) => (stopping ? 0 : ((code as number | null) ?? 1)),
    (error: Error) => {
      throw new Error(`cannot run ${program}: ${error.message}`)
    },
  )
  ended.catch(() => {})
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined) return
    try {
      if (onWindows) child.kill(name)
      else process.kill(-child.pid, name)
    } catch {
      // It has already ended.
    }
  }
  return {
    ended,
    async healthy(url) {
      for (const until = performance.now() + START_TIMEOUT_MS; performance.now() < until; ) {
        const code = await Promise.race([ended, sleep(PAUSE, null)])
        if (code !== null) throw new Error(stopping ? 'stopped' : `${program} exited with ${code} before it was ready`)
        if (await answers(url)) return
      }
      throw new Error(`${program} does not respond at ${url}; it must listen on the port in LEANCLOUD_APP_PORT`)
    },
    async stop() {
      stopping = true
      signal('SIGTERM')
      const timer = new AbortController()
      const late = sleep(STOP_TIMEOUT_MS, null, { signal: timer.signal }).then(
        () => signal('SIGKILL'),
        () => {},
      )
      await ended.catch(() => {})
      timer.abort()
      await late
    },
  }
}

/** Returns whether an engine responds to a ping, or at least serves its front page (protocol/cloud-code, Health check). */
async function answers(url: string): Promise<boolean> {
  for (const path of ['/__engine/1/ping', '/']) {
    const request = { method: 'GET', url: url + path, timeout: PING_TIMEOUT_MS }
    const status = await exchange({ ...request, reach: 'any' }, async (answer) => answer.status).catch(() => 0)
    if (status >= 200 && status < 300) return true
  }
  return false
}
